-- bound: borrowed int64
WITH looked (nth, subject, fine, otherwise, found, advice) AS (
  SELECT 1, 'server version',
    CASE WHEN TO_NUMBER(REGEXP_SUBSTR(MAX(v.VERSION), '[0-9]+')) >= 19 THEN 1 ELSE 0 END,
    'problem', MAX(v.VERSION), 'upgrade the database to 19c or newer'
  FROM PRODUCT_COMPONENT_VERSION v WHERE v.PRODUCT LIKE 'Oracle%'
  UNION ALL
  SELECT 2, 'database role',
    CASE WHEN SYS_CONTEXT('USERENV', 'DATABASE_ROLE') = 'PRIMARY' THEN 1 ELSE 0 END,
    'problem', SYS_CONTEXT('USERENV', 'DATABASE_ROLE'),
    'nothing can be written to a standby: connect to the primary'
  FROM DUAL
  UNION ALL
  
  SELECT 3, 'character set', CASE WHEN p.VALUE = 'AL32UTF8' THEN 1 ELSE 0 END, 'problem', p.VALUE,
    'names and payloads are any Unicode text: use a database whose character set is AL32UTF8'
  FROM NLS_DATABASE_PARAMETERS p WHERE p.PARAMETER = 'NLS_CHARACTERSET'
  UNION ALL
  SELECT 4, 'NLS_COMP', CASE WHEN p.VALUE = 'BINARY' THEN 1 ELSE 0 END, 'problem', p.VALUE,
    'names are compared by a language and no index serves that: ALTER SESSION SET NLS_COMP = BINARY'
  FROM NLS_SESSION_PARAMETERS p WHERE p.PARAMETER = 'NLS_COMP'
  UNION ALL
  
  SELECT 5, 'isolation', 1, 'advice',
    'not looked at: only an administrator can read it; SERIALIZABLE is told by ORA-08177', NULL
  FROM DUAL WHERE CAST(? AS NUMBER) = 1
  UNION ALL
  SELECT 6, 'tablespace quota',
    CASE
      WHEN EXISTS (SELECT 1 FROM SESSION_PRIVS s WHERE s.PRIVILEGE = 'UNLIMITED TABLESPACE')
        OR EXISTS (SELECT 1 FROM USER_TS_QUOTAS q
            WHERE q.TABLESPACE_NAME = u.DEFAULT_TABLESPACE
              AND (q.MAX_BYTES = -1 OR q.MAX_BYTES > q.BYTES)) THEN 1
      ELSE 0
    END,
    'problem', u.DEFAULT_TABLESPACE,
    'no job can be stored: ALTER USER ' || u.USERNAME || ' QUOTA UNLIMITED ON ' || u.DEFAULT_TABLESPACE
  FROM USER_USERS u
  WHERE u.USERNAME
    = COALESCE(RTRIM(UPPER(''), '.'), SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA'))
)
SELECT
  l.subject,
  CASE WHEN l.fine = 1 THEN 'ok' ELSE l.otherwise END AS verdict,
  l.found,
  CASE WHEN l.fine = 0 THEN l.advice END AS advice
FROM looked l
ORDER BY l.nth
-- bound: nothing
WITH place AS (
  SELECT COALESCE(RTRIM(UPPER(''), '.'), SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA')) AS owner
  FROM DUAL
), wanted AS (
  SELECT w.kind, w.name, w.uniqueness
  FROM JSON_TABLE('[
    ["table", "tq_job"], ["table", "tq_queue"], ["table", "tq_failure"], ["table", "tq_schema"],
    ["table", "tq_given"], ["table", "tq_answer"],
    ["index", "tq_job_pk", "UNIQUE"],
    ["index", "tq_job_claim", "NONUNIQUE"], ["index", "tq_job_settle", "NONUNIQUE"],
    ["index", "tq_job_lease", "NONUNIQUE"], ["index", "tq_job_unique", "UNIQUE"],
    ["index", "tq_job_running", "UNIQUE"], ["index", "tq_job_group", "NONUNIQUE"],
    ["index", "tq_job_final", "NONUNIQUE"]
  ]', '$[*]' COLUMNS (
    kind VARCHAR2(5) PATH '$[0]',
    name VARCHAR2(30) PATH '$[1]',
    uniqueness VARCHAR2(9) PATH '$[2]')) w
), judged AS (
  SELECT
    w.kind, w.name,
    CASE
      WHEN w.kind = 'table' AND t.TABLE_NAME IS NULL THEN 'missing, or no privilege on it'
      WHEN w.kind = 'table' THEN NULL
      WHEN i.INDEX_NAME IS NULL THEN 'missing'
      WHEN i.UNIQUENESS <> w.uniqueness THEN LOWER(i.UNIQUENESS)
      WHEN i.STATUS <> 'VALID' THEN 'status ' || LOWER(i.STATUS)
      WHEN i.VISIBILITY <> 'VISIBLE' THEN 'not visible to the optimizer'
      WHEN i.FUNCIDX_STATUS <> 'ENABLED' THEN 'disabled'
    END AS wrong,
    CASE WHEN w.kind = 'table' THEN t.INI_TRANS ELSE i.INI_TRANS END AS slots,
    p.owner
  FROM wanted w
  CROSS JOIN place p
  LEFT JOIN ALL_TABLES t
    ON w.kind = 'table' AND t.OWNER = p.owner AND t.TABLE_NAME = UPPER(w.name)
  LEFT JOIN ALL_INDEXES i
    ON w.kind = 'index' AND i.TABLE_OWNER = p.owner AND i.INDEX_NAME = UPPER(w.name)
      AND i.TABLE_NAME = 'TQ_JOB'
), sole AS (
  SELECT
    SUM(CASE WHEN j.kind = 'table' AND j.wrong IS NULL THEN 1 ELSE 0 END) AS tables,
    SUM(CASE WHEN j.kind = 'table' AND j.wrong IS NOT NULL THEN 1 ELSE 0 END) AS lost_tables,
    SUM(CASE WHEN j.kind = 'index' AND j.wrong IS NOT NULL THEN 1 ELSE 0 END) AS lost_indexes
  FROM judged j
)
SELECT
  j.kind || ' ' || j.name AS subject,
  'problem' AS verdict,
  j.wrong AS found,
  CASE
    WHEN j.wrong LIKE 'missing%'
      THEN 'the script of `tq init --print` makes what is missing, and leaves the rest as it is'
    WHEN j.wrong LIKE 'not visible%' THEN 'ALTER INDEX ' || j.owner || '.' || j.name || ' VISIBLE'
    WHEN j.wrong = 'disabled' THEN 'ALTER INDEX ' || j.owner || '.' || j.name || ' ENABLE'
    WHEN j.wrong LIKE 'status%' THEN 'ALTER INDEX ' || j.owner || '.' || j.name || ' REBUILD'
    ELSE 'drop it, and run the script of `tq init --print`'
  END AS advice
FROM judged j CROSS JOIN sole s
WHERE j.wrong IS NOT NULL AND s.tables > 0
UNION ALL
SELECT 'tables', 'ok', CASE WHEN s.tables = 0 THEN 'none' ELSE TO_CHAR(s.tables) END, NULL
FROM sole s WHERE s.lost_tables = 0 OR s.tables = 0
UNION ALL
SELECT 'indexes', 'ok', CASE WHEN s.tables = 0 THEN 'none' ELSE 'all valid and visible' END, NULL
FROM sole s WHERE s.lost_indexes = 0 OR s.tables = 0
UNION ALL

SELECT
  'INITRANS', CASE WHEN COUNT(*) = 0 THEN 'ok' ELSE 'advice' END,
  CASE WHEN COUNT(*) = 0 THEN '16 or more' ELSE TO_CHAR(MIN(j.slots)) END,
  CASE WHEN COUNT(*) > 0 THEN 'workers may wait for one another: ' || MIN(
    CASE j.kind
      WHEN 'index' THEN 'ALTER INDEX ' || j.owner || '.' || j.name || ' REBUILD INITRANS 16'
      ELSE 'ALTER TABLE ' || j.owner || '.' || j.name || ' MOVE ONLINE INITRANS 16'
    END)
  END
FROM judged j
WHERE j.slots < 16 AND (j.kind = 'index' OR j.name = 'tq_job')
-- bound: nothing
WITH place AS (
  SELECT
    COALESCE(RTRIM(UPPER(''), '.'), SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA')) AS owner,
    SYS_CONTEXT('USERENV', 'SESSION_USER') AS me
  FROM DUAL
), needed AS (
  SELECT n.purpose, n.name, n.privilege
  FROM JSON_TABLE('[
    ["enqueue", "tq_schema", ["SELECT"]], ["enqueue", "tq_job", ["SELECT", "INSERT"]],
    ["enqueue", "tq_given", ["SELECT", "INSERT", "DELETE"]],
    ["enqueue", "tq_answer", ["SELECT", "INSERT", "DELETE"]],
    ["work", "tq_schema", ["SELECT"]], ["work", "tq_job", ["SELECT", "UPDATE", "DELETE"]],
    ["work", "tq_failure", ["SELECT", "INSERT", "UPDATE", "DELETE"]],
    ["work", "tq_queue", ["SELECT"]],
    ["work", "tq_given", ["SELECT", "INSERT", "DELETE"]],
    ["work", "tq_answer", ["SELECT", "INSERT", "UPDATE", "DELETE"]],
    ["operate", "tq_schema", ["SELECT"]], ["operate", "tq_job", ["SELECT", "UPDATE", "DELETE"]],
    ["operate", "tq_failure", ["SELECT", "INSERT", "UPDATE", "DELETE"]],
    ["operate", "tq_queue", ["SELECT", "INSERT", "UPDATE"]],
    ["operate", "tq_given", ["SELECT", "INSERT", "DELETE"]],
    ["operate", "tq_answer", ["SELECT", "INSERT", "UPDATE", "DELETE"]]
  ]', '$[*]' COLUMNS (
    purpose VARCHAR2(8) PATH '$[0]',
    name VARCHAR2(30) PATH '$[1]',
    NESTED PATH '$[2][*]' COLUMNS (privilege VARCHAR2(8) PATH '$'))) n
), judged AS (
  SELECT
    n.purpose, n.name, n.privilege, p.owner, p.me,
    CASE
      WHEN p.owner = p.me THEN 1
      WHEN EXISTS (SELECT 1 FROM ALL_TAB_PRIVS g
            WHERE g.TABLE_SCHEMA = p.owner AND g.TABLE_NAME = UPPER(n.name)
              AND g.PRIVILEGE = n.privilege) THEN 1
      
      WHEN EXISTS (SELECT 1 FROM ALL_COL_PRIVS g
            WHERE g.TABLE_SCHEMA = p.owner AND g.TABLE_NAME = UPPER(n.name)
              AND g.PRIVILEGE = n.privilege) THEN 1
      WHEN EXISTS (SELECT 1 FROM SESSION_PRIVS s
            WHERE s.PRIVILEGE = n.privilege || ' ANY TABLE') THEN 1
      ELSE 0
    END AS granted
  FROM needed n CROSS JOIN place p
), summed AS (
  SELECT
    j.purpose, MIN(j.granted) AS may,
    MIN(CASE WHEN j.granted = 0 THEN
      'GRANT ' || j.privilege || ' ON ' || j.owner || '.' || j.name || ' TO ' || j.me END) AS grant_it,
    SUM(1 - j.granted) AS missing
  FROM judged j
  GROUP BY j.purpose
)
SELECT
  'may ' || s.purpose AS subject,
  CASE
    WHEN s.may = 1 THEN 'ok'
    WHEN (SELECT MAX(o.may) FROM summed o) = 1 THEN 'advice'
    ELSE 'problem'
  END AS verdict,
  CASE WHEN s.may = 1 THEN 'yes' ELSE 'no: ' || s.missing || ' privileges are missing' END AS found,
  CASE WHEN s.may = 0 THEN s.grant_it || '; all of them: sql/oracle/roles.sql' END AS advice
FROM summed s
WHERE EXISTS (SELECT 1 FROM ALL_TABLES t CROSS JOIN place p
       WHERE t.OWNER = p.owner AND t.TABLE_NAME = 'TQ_JOB')
ORDER BY s.purpose
