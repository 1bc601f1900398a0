-- Promise: says of the server's settings, the tables, the user's grants and old transactions whether
-- they are fit for the queue. Reads settings and information_schema alone, tables or not.
-- Locks: none on rows.
-- https://dev.mysql.com/doc/refman/en/information-schema.html
-- https://mariadb.com/kb/en/information-schema/
-- parameters: borrowed int64
--
-- MySQL and MariaDB have different tables of settings, and different names for the isolation.
-- https://dev.mysql.com/doc/refman/en/show-variables.html
-- columns: name text, value text
SHOW SESSION VARIABLES WHERE Variable_name IN (
  'binlog_format', 'check_constraint_checks', 'innodb_flush_log_at_trx_commit',
  'innodb_lock_wait_timeout', 'innodb_rollback_on_timeout', 'log_bin',
  'max_allowed_packet', 'read_only', 'super_read_only', 'sync_binlog', 'transaction_isolation',
  'transaction_read_only', 'tx_isolation', 'tx_read_only', 'unique_checks')
-- step
-- columns: subject text, verdict text, found text, advice text
WITH setting AS (
  SELECT s.name, s.value
  FROM JSON_TABLE(CONVERT(:picked USING utf8mb4), '$[*]' COLUMNS (
    name VARCHAR(64) CHARACTER SET utf8mb4 PATH '$.name',
    value VARCHAR(255) CHARACTER SET utf8mb4 PATH '$.value')) AS s
), rule AS (
  -- fine: the values that are; null: all. MariaDB's 3 is as durable as 1.
  SELECT r.name, r.fine, r.otherwise, r.advice
  FROM JSON_TABLE('[
    ["read_only", "OFF", "problem",
      "connect to the primary; if this is it: SET GLOBAL read_only = OFF"],
    ["super_read_only", "OFF", "problem",
      "connect to the primary; if this is it: SET GLOBAL super_read_only = OFF"],
    ["innodb_flush_log_at_trx_commit", "1,3", "advice",
      "a crash can undo the last commits: SET GLOBAL innodb_flush_log_at_trx_commit = 1"],
    ["check_constraint_checks", "ON", "problem",
      "a producer can store what is no job: SET GLOBAL check_constraint_checks = ON"],
    ["unique_checks", "ON", "problem",
      "a unique key may be stored twice: SET SESSION unique_checks = 1"],
    ["innodb_lock_wait_timeout"], ["innodb_rollback_on_timeout"]
  ]', '$[*]' COLUMNS (
    name VARCHAR(64) CHARACTER SET utf8mb4 PATH '$[0]',
    fine VARCHAR(16) CHARACTER SET utf8mb4 PATH '$[1]',
    otherwise VARCHAR(8) CHARACTER SET utf8mb4 PATH '$[2]',
    advice VARCHAR(255) CHARACTER SET utf8mb4 PATH '$[3]')) AS r
), looked (subject, fine, otherwise, found, advice) AS (
  SELECT 'server version',
    1000 * CAST(SUBSTRING_INDEX(VERSION(), '.', 1) AS UNSIGNED)
      + CAST(SUBSTRING_INDEX(SUBSTRING_INDEX(VERSION(), '.', 2), '.', -1) AS UNSIGNED)
      >= CASE WHEN VERSION() LIKE '%MariaDB%' THEN 10006 ELSE 8004 END,
    'problem', VERSION(), 'upgrade the server to MySQL 8.4, or MariaDB 10.6, or newer'
  UNION ALL
  -- Even for statements that name theirs: error 1046.
  SELECT 'default database', DATABASE() IS NOT NULL, 'problem', COALESCE(DATABASE(), 'none'),
    'name a database in the URL, or by USE: it need not be that of the tables'
  UNION ALL
  SELECT s.name, COALESCE(FIND_IN_SET(s.value, r.fine) > 0, TRUE), r.otherwise, s.value, r.advice
  FROM setting AS s JOIN rule AS r ON r.name = s.name
  UNION ALL
  -- The library's own connections set theirs.
  SELECT 'isolation', s.value = 'READ-COMMITTED', 'advice', s.value,
    CONCAT('gaps between rows are locked, so producers and workers wait for each other more: ',
      'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED')
  FROM (SELECT MAX(o.value) AS value FROM setting AS o
        WHERE o.name IN ('transaction_isolation', 'tx_isolation')) AS s
  WHERE :borrowed = 1 AND s.value IS NOT NULL
  UNION ALL
  SELECT 'read-only session', s.value = 'OFF', 'problem', s.value,
    'nothing can be written: SET GLOBAL TRANSACTION READ WRITE'
  FROM (SELECT MAX(o.value) AS value FROM setting AS o
        WHERE o.name IN ('transaction_read_only', 'tx_read_only')) AS s
  WHERE s.value IS NOT NULL
  UNION ALL
  -- Changes made at READ COMMITTED cannot be logged as statements: the server refuses them.
  -- https://dev.mysql.com/doc/refman/en/binary-log-setting.html
  SELECT s.name, l.value = 'OFF' OR s.value <> 'STATEMENT', 'problem',
    CASE WHEN l.value = 'OFF' THEN 'no binary log' ELSE s.value END,
    'the server refuses every change of a queue: SET GLOBAL binlog_format = ROW'
  FROM setting AS s JOIN setting AS l ON l.name = 'log_bin' WHERE s.name = 'binlog_format'
  UNION ALL
  SELECT s.name, l.value = 'OFF' OR s.value = '1', 'advice',
    CASE WHEN l.value = 'OFF' THEN 'no binary log' ELSE s.value END,
    'a crash can undo the last commits: SET GLOBAL sync_binlog = 1'
  FROM setting AS s JOIN setting AS l ON l.name = 'log_bin' WHERE s.name = 'sync_binlog'
  UNION ALL
  -- A batch is up to 4 MiB, and some of its characters take more on the way.
  SELECT s.name, CAST(s.value AS UNSIGNED) >= 8388608, 'problem', s.value,
    'large batches and payloads are refused: SET GLOBAL max_allowed_packet = 67108864'
  FROM setting AS s WHERE s.name = 'max_allowed_packet'
)
SELECT
  l.subject,
  CASE WHEN l.fine THEN 'ok' ELSE l.otherwise END AS verdict,
  l.found,
  CASE WHEN NOT l.fine THEN l.advice END AS advice
FROM looked AS l
ORDER BY l.subject = 'server version' DESC, l.subject
LIMIT 1000
-- step
-- What connections get that set nothing themselves.
-- columns: name text, value text
SHOW GLOBAL VARIABLES WHERE Variable_name IN (
  'transaction_isolation', 'tx_isolation', 'unique_checks')
-- step
-- columns: subject text, verdict text, found text, advice text
WITH setting AS (
  SELECT s.name, s.value
  FROM JSON_TABLE(CONVERT(:picked USING utf8mb4), '$[*]' COLUMNS (
    name VARCHAR(64) CHARACTER SET utf8mb4 PATH '$.name',
    value VARCHAR(255) CHARACTER SET utf8mb4 PATH '$.value')) AS s
)
SELECT
  'default isolation' AS subject,
  CASE WHEN s.value = 'READ-COMMITTED' THEN 'ok' ELSE 'advice' END AS verdict,
  s.value AS found,
  CASE WHEN s.value <> 'READ-COMMITTED' THEN
    CONCAT('in transactions of the application gaps between rows are locked, so producers and ',
      'workers wait for each other more; set it where they enqueue or complete, or for all: ',
      'SET GLOBAL TRANSACTION ISOLATION LEVEL READ COMMITTED')
  END AS advice
FROM (SELECT MAX(o.value) AS value FROM setting AS o
      WHERE o.name IN ('transaction_isolation', 'tx_isolation')) AS s
WHERE s.value IS NOT NULL
UNION ALL
SELECT 'default unique_checks', CASE WHEN s.value = 'ON' THEN 'ok' ELSE 'problem' END, s.value,
  CASE WHEN s.value <> 'ON' THEN
    'a unique key may be stored twice: SET GLOBAL unique_checks = 1'
  END
FROM setting AS s WHERE s.name = 'unique_checks'
LIMIT 1000
-- step
-- What the migrations make. Without any table the version of the schema says all. A table on which
-- the user has no privilege cannot be told from one that is missing, unless a grant covers them all.
-- https://dev.mysql.com/doc/refman/en/information-schema-statistics-table.html
-- columns: subject text, verdict text, found text, advice text
WITH me AS (
  SELECT CONVERT(COALESCE(NULLIF(REPLACE('{schema}', '.', ''), ''), DATABASE()) USING utf8mb4)
      COLLATE utf8mb4_bin AS place,
    -- A user's name may have an @, a host's may not.
    CONCAT('''', INSERT(CURRENT_USER(), CHAR_LENGTH(CURRENT_USER())
      - CHAR_LENGTH(SUBSTRING_INDEX(CURRENT_USER(), '@', -1)), 1, '''@'''), '''') AS grantee
), wanted AS (
  SELECT w.kind, w.name, w.making
  FROM JSON_TABLE('[
    ["table", "tq_job"], ["table", "tq_queue"], ["table", "tq_failure"], ["table", "tq_schema"],
    ["index", "tq_job_claim", "INDEX tq_job_claim (claim_q,priority,run_at,job_id,attempts)"],
    ["index", "tq_job_settle", "INDEX tq_job_settle (settle_q,group_key,created_at,job_id)"],
    ["index", "tq_job_lease", "INDEX tq_job_lease (lease_until)"],
    ["index", "tq_job_unique", "UNIQUE INDEX tq_job_unique (active_q,unique_key)"],
    ["index", "tq_job_running", "UNIQUE INDEX tq_job_running (running_q,group_key)"],
    ["index", "tq_job_group", "INDEX tq_job_group (active_q,group_key,created_at,job_id)"],
    ["index", "tq_job_final", "INDEX tq_job_final (queue,final_state,finished_at)"]
  ]', '$[*]' COLUMNS (
    kind VARCHAR(8) CHARACTER SET utf8mb4 PATH '$[0]',
    name VARCHAR(64) CHARACTER SET utf8mb4 PATH '$[1]',
    making VARCHAR(255) CHARACTER SET utf8mb4 PATH '$[2]')) AS w
), found_tables AS (
  SELECT t.TABLE_NAME AS name
  FROM information_schema.TABLES AS t JOIN me ON t.TABLE_SCHEMA = me.place
  WHERE t.TABLE_NAME IN ('tq_job', 'tq_queue', 'tq_failure', 'tq_schema')
), found_indexes AS (
  SELECT
    i.INDEX_NAME AS name,
    CONCAT(
      CASE WHEN MAX(i.NON_UNIQUE) = 0 THEN 'UNIQUE ' ELSE '' END, 'INDEX ', i.INDEX_NAME, ' (',
      GROUP_CONCAT(i.COLUMN_NAME ORDER BY i.SEQ_IN_INDEX SEPARATOR ','), ')') AS making
  FROM information_schema.STATISTICS AS i JOIN me ON i.TABLE_SCHEMA = me.place
  WHERE i.TABLE_NAME = 'tq_job'
  GROUP BY i.INDEX_NAME
), judged AS (
  SELECT w.kind, w.name, w.making,
    CASE w.kind WHEN 'table' THEN t.name IS NOT NULL ELSE i.name IS NOT NULL END AS there,
    COALESCE(i.making = w.making, TRUE) AS right_one,
    (SELECT COUNT(*) FROM information_schema.USER_PRIVILEGES AS u
     JOIN me ON u.GRANTEE = me.grantee
     WHERE u.PRIVILEGE_TYPE IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE'))
    + (SELECT COUNT(*) FROM information_schema.SCHEMA_PRIVILEGES AS d
       JOIN me ON d.GRANTEE = me.grantee AND me.place LIKE d.TABLE_SCHEMA
       WHERE d.PRIVILEGE_TYPE IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')) > 0 AS sees_all
  FROM wanted AS w
  LEFT JOIN found_tables AS t ON w.kind = 'table' AND t.name = w.name
  LEFT JOIN found_indexes AS i ON w.kind = 'index' AND i.name = w.name
  -- Without the job table none of its indexes is looked for.
  WHERE CASE w.kind
    WHEN 'table' THEN (SELECT COUNT(*) FROM found_tables)
    ELSE (SELECT COUNT(*) FROM found_tables AS o WHERE o.name = 'tq_job') END > 0
)
SELECT
  CONCAT(j.kind, ' ', j.name) AS subject,
  CASE WHEN j.kind = 'index' OR j.sees_all THEN 'problem' ELSE 'advice' END AS verdict,
  CASE
    WHEN j.there THEN 'other columns'
    WHEN j.kind = 'index' OR j.sees_all THEN 'missing'
    ELSE 'missing, or no privilege on it'
  END AS found,
  CASE
    WHEN j.kind = 'table' AND NOT j.sees_all THEN 'look as a user with rights on the whole database'
    WHEN j.kind = 'table'
      THEN 'the script of `tq init --print` makes what is missing, and leaves the rest as it is'
    ELSE CONCAT('ALTER TABLE ', me.place, '.tq_job ',
      CASE WHEN j.there THEN CONCAT('DROP INDEX ', j.name, ', ') ELSE '' END, 'ADD ', j.making)
  END AS advice
FROM judged AS j CROSS JOIN me
WHERE NOT (j.there AND j.right_one)
UNION ALL
SELECT CASE j.kind WHEN 'table' THEN 'tables' ELSE 'indexes' END, 'ok',
  CONCAT(GROUP_CONCAT(j.name ORDER BY j.name SEPARATOR ', '), ' in ', MAX(me.place)), NULL
FROM judged AS j CROSS JOIN me
GROUP BY j.kind
HAVING MIN(j.there AND j.right_one) = 1
ORDER BY subject DESC
LIMIT 1000
-- step
-- Only InnoDB has row locks and transactions, and names compare by their code points.
-- https://dev.mysql.com/doc/refman/en/information-schema-columns-table.html
-- columns: subject text, verdict text, found text, advice text
WITH ours AS (
  SELECT
    CONVERT(t.TABLE_SCHEMA USING utf8mb4) COLLATE utf8mb4_bin AS place,
    CONVERT(t.TABLE_NAME USING utf8mb4) COLLATE utf8mb4_bin AS name,
    CONVERT(t.ENGINE USING utf8mb4) COLLATE utf8mb4_bin AS engine,
    t.DATA_LENGTH AS data_size, t.INDEX_LENGTH AS index_size
  FROM information_schema.TABLES AS t
  WHERE t.TABLE_SCHEMA = COALESCE(NULLIF(REPLACE('{schema}', '.', ''), ''), DATABASE())
    AND t.TABLE_NAME IN ('tq_job', 'tq_queue', 'tq_failure', 'tq_schema')
), folded AS (
  SELECT
    CONVERT(c.TABLE_SCHEMA USING utf8mb4) COLLATE utf8mb4_bin AS place,
    CONVERT(c.TABLE_NAME USING utf8mb4) COLLATE utf8mb4_bin AS name,
    CONVERT(GROUP_CONCAT(
      c.COLUMN_NAME, ' ', c.COLLATION_NAME ORDER BY c.COLUMN_NAME SEPARATOR ', ') USING utf8mb4)
      COLLATE utf8mb4_bin AS columns
  FROM information_schema.COLUMNS AS c
  WHERE c.TABLE_SCHEMA = COALESCE(NULLIF(REPLACE('{schema}', '.', ''), ''), DATABASE())
    AND c.TABLE_NAME IN ('tq_job', 'tq_queue', 'tq_failure')
    AND c.COLLATION_NAME NOT IN ('utf8mb4_bin', 'ascii_bin')
  GROUP BY c.TABLE_SCHEMA, c.TABLE_NAME
), summed AS (
  SELECT COUNT(*) AS tables, COUNT(NULLIF(o.engine, 'InnoDB')) AS other FROM ours AS o
)
SELECT CONCAT('engine of ', o.name) AS subject, 'problem' AS verdict, o.engine AS found,
  CONCAT('two workers can take one job: ALTER TABLE ', o.place, '.', o.name, ' ENGINE = InnoDB')
    AS advice
FROM ours AS o WHERE o.engine <> 'InnoDB'
UNION ALL
SELECT 'engine', 'ok', 'InnoDB', NULL
FROM summed AS s WHERE s.tables > 0 AND s.other = 0
UNION ALL
SELECT CONCAT('collation of ', f.name), 'problem', f.columns,
  CONCAT('names that differ are taken for equal: ALTER TABLE ', f.place, '.', f.name,
    ' CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin')
FROM folded AS f
UNION ALL
SELECT 'collations', 'ok', 'names compare by their code points', NULL
FROM summed AS s WHERE s.tables > 0 AND (SELECT COUNT(*) FROM folded) = 0
UNION ALL
-- By the server's statistics, which MySQL keeps for a day.
SELECT 'size', 'ok',
  CONCAT('table ', ROUND(o.data_size / 1048576, 1), ' MiB, indexes ',
    ROUND(o.index_size / 1048576, 1), ' MiB, at the last count'), NULL
FROM ours AS o
WHERE o.name = 'tq_job' AND o.data_size IS NOT NULL
LIMIT 1000
-- step
-- What the user may do, by the grants of the three roles that docs/operations.md describes: one that
-- has only some of them is as it should be. Those of a role of the server's cannot be read here.
-- https://dev.mysql.com/doc/refman/en/information-schema-table-privileges-table.html
-- columns: subject text, verdict text, found text, advice text
WITH me AS (
  SELECT CONVERT(COALESCE(NULLIF(REPLACE('{schema}', '.', ''), ''), DATABASE()) USING utf8mb4)
      COLLATE utf8mb4_bin AS place,
    CONVERT(CONCAT('''', INSERT(CURRENT_USER(), CHAR_LENGTH(CURRENT_USER())
      - CHAR_LENGTH(SUBSTRING_INDEX(CURRENT_USER(), '@', -1)), 1, '''@'''), '''') USING utf8mb4)
      COLLATE utf8mb4_bin AS grantee
), wanted AS (
  SELECT w.purpose, w.name, w.privilege,
    -- For ON DUPLICATE KEY UPDATE, which changes nothing; on MariaDB for all columns.
    CASE WHEN w.purpose = 'enqueue' AND w.privilege = 'UPDATE' AND VERSION() NOT LIKE '%MariaDB%'
      THEN 'job_id' END AS only_column
  FROM JSON_TABLE('[
    ["enqueue", "tq_schema", ["SELECT"]], ["enqueue", "tq_job", ["SELECT", "INSERT", "UPDATE"]],
    ["work", "tq_schema", ["SELECT"]], ["work", "tq_queue", ["SELECT"]],
    ["work", "tq_job", ["SELECT", "UPDATE", "DELETE"]],
    ["work", "tq_failure", ["SELECT", "INSERT", "UPDATE", "DELETE"]],
    ["operate", "tq_schema", ["SELECT"]], ["operate", "tq_queue", ["SELECT", "INSERT", "UPDATE"]],
    ["operate", "tq_job", ["SELECT", "UPDATE", "DELETE"]],
    ["operate", "tq_failure", ["SELECT", "INSERT", "UPDATE", "DELETE"]]
  ]', '$[*]' COLUMNS (
    purpose VARCHAR(8) CHARACTER SET utf8mb4 PATH '$[0]',
    name VARCHAR(64) CHARACTER SET utf8mb4 PATH '$[1]',
    NESTED PATH '$[2][*]' COLUMNS (
      privilege VARCHAR(16) CHARACTER SET utf8mb4 PATH '$'))) AS w
), granted (name, privilege, only_column) AS (
  SELECT NULL, CONVERT(u.PRIVILEGE_TYPE USING utf8mb4) COLLATE utf8mb4_bin, NULL
  FROM information_schema.USER_PRIVILEGES AS u JOIN me ON u.GRANTEE = me.grantee
  UNION ALL
  -- The name of the database may be a pattern.
  SELECT NULL, CONVERT(d.PRIVILEGE_TYPE USING utf8mb4) COLLATE utf8mb4_bin, NULL
  FROM information_schema.SCHEMA_PRIVILEGES AS d
  JOIN me ON d.GRANTEE = me.grantee AND me.place LIKE d.TABLE_SCHEMA
  UNION ALL
  SELECT CONVERT(t.TABLE_NAME USING utf8mb4) COLLATE utf8mb4_bin,
    CONVERT(t.PRIVILEGE_TYPE USING utf8mb4) COLLATE utf8mb4_bin, NULL
  FROM information_schema.TABLE_PRIVILEGES AS t
  JOIN me ON t.GRANTEE = me.grantee AND t.TABLE_SCHEMA = me.place
  UNION ALL
  SELECT CONVERT(c.TABLE_NAME USING utf8mb4) COLLATE utf8mb4_bin,
    CONVERT(c.PRIVILEGE_TYPE USING utf8mb4) COLLATE utf8mb4_bin,
    CONVERT(c.COLUMN_NAME USING utf8mb4) COLLATE utf8mb4_bin
  FROM information_schema.COLUMN_PRIVILEGES AS c
  JOIN me ON c.GRANTEE = me.grantee AND c.TABLE_SCHEMA = me.place
), lacking AS (
  SELECT w.purpose, w.name,
    CONCAT('GRANT ', GROUP_CONCAT(
      w.privilege, CASE WHEN w.only_column IS NULL THEN '' ELSE CONCAT(' (', w.only_column, ')') END
      ORDER BY w.privilege SEPARATOR ', '),
      ' ON ', MAX(me.place), '.', w.name, ' TO ', MAX(me.grantee)) AS statement
  FROM wanted AS w CROSS JOIN me
  LEFT JOIN granted AS g ON g.privilege = w.privilege AND (g.name IS NULL OR g.name = w.name)
    AND (g.only_column IS NULL OR g.only_column = w.only_column)
  WHERE g.privilege IS NULL
  GROUP BY w.purpose, w.name
), summed AS (
  SELECT u.purpose, u.nth, GROUP_CONCAT(l.statement ORDER BY l.name DESC SEPARATOR '; ') AS statements
  FROM (SELECT 'enqueue' AS purpose, 1 AS nth UNION ALL SELECT 'work', 2
        UNION ALL SELECT 'operate', 3) AS u
  LEFT JOIN lacking AS l ON l.purpose = u.purpose
  GROUP BY u.purpose, u.nth
)
SELECT
  CONCAT('may ', s.purpose) AS subject,
  CASE
    WHEN s.statements IS NULL OR r.name IS NOT NULL THEN 'ok'
    WHEN (SELECT COUNT(*) FROM summed AS o WHERE o.statements IS NULL) > 0 THEN 'advice'
    ELSE 'problem'
  END AS verdict,
  CASE
    WHEN s.statements IS NULL THEN CONCAT(CURRENT_USER(), ' may')
    WHEN r.name IS NOT NULL THEN CONCAT('not looked at: it may by the role ', r.name)
    ELSE CONCAT(CURRENT_USER(), ' may not')
  END AS found,
  CASE WHEN s.statements IS NOT NULL AND r.name IS NULL
    THEN CONCAT('if it is to: ', s.statements) END AS advice
FROM summed AS s CROSS JOIN (SELECT NULLIF(CURRENT_ROLE(), 'NONE') AS name) AS r
WHERE (
  SELECT COUNT(*) FROM information_schema.TABLES AS t JOIN me ON t.TABLE_SCHEMA = me.place
  WHERE t.TABLE_NAME IN ('tq_job', 'tq_queue', 'tq_failure', 'tq_schema')) > 0
ORDER BY s.nth
LIMIT 1000
-- step
-- Old versions of rows stay as long as a transaction may ask for them, and every claim passes them.
-- A table that may not be read is an error, unless nobody reads it: CASE does not, where PROCESS was
-- not granted. Its times are those of the server's zone.
-- https://dev.mysql.com/doc/refman/en/innodb-purge-configuration.html
-- https://dev.mysql.com/doc/refman/en/information-schema-innodb-trx-table.html
-- columns: subject text, verdict text, found text, advice text
WITH may AS (
  SELECT COUNT(*) AS look
  FROM information_schema.USER_PRIVILEGES AS p
  WHERE p.PRIVILEGE_TYPE = 'PROCESS'
    AND p.GRANTEE = CONCAT('''', INSERT(CURRENT_USER(), CHAR_LENGTH(CURRENT_USER())
      - CHAR_LENGTH(SUBSTRING_INDEX(CURRENT_USER(), '@', -1)), 1, '''@'''), '''')
), seen AS (
  SELECT m.look,
    CASE WHEN m.look > 0 THEN (
      SELECT t.trx_mysql_thread_id FROM information_schema.INNODB_TRX AS t
      WHERE t.trx_started < CONVERT_TZ(UTC_TIMESTAMP(), '+00:00', 'SYSTEM') - INTERVAL 10 MINUTE
        AND t.trx_mysql_thread_id <> CONNECTION_ID()
      ORDER BY t.trx_started, t.trx_id LIMIT 1) END AS session,
    CASE WHEN m.look > 0 THEN (
      SELECT TIMESTAMPDIFF(
        SECOND, MIN(t.trx_started), CONVERT_TZ(UTC_TIMESTAMP(), '+00:00', 'SYSTEM'))
      FROM information_schema.INNODB_TRX AS t
      WHERE t.trx_mysql_thread_id <> CONNECTION_ID()) END AS age,
    CASE WHEN m.look > 0 THEN (
      SELECT MAX(n.COUNT) FROM information_schema.INNODB_METRICS AS n
      WHERE n.NAME = 'trx_rseg_history_len') END AS history
  FROM may AS m
)
SELECT
  'old transactions' AS subject,
  CASE WHEN s.session IS NULL THEN 'ok' ELSE 'advice' END AS verdict,
  CASE
    WHEN s.look = 0 THEN 'not looked at: that takes the privilege PROCESS'
    WHEN s.session IS NULL THEN 'none'
    WHEN s.session = 0 THEN CONCAT('a prepared one of XA, ', s.age, ' s')
    ELSE CONCAT('session ', s.session, ', ', s.age, ' s')
  END AS found,
  CASE
    WHEN s.session = 0 THEN 'old versions of rows are kept meanwhile; end it: XA RECOVER'
    WHEN s.session > 0
      THEN CONCAT('old versions of rows are kept meanwhile; end it: KILL ', s.session)
  END AS advice
FROM seen AS s
UNION ALL
SELECT 'history list', CASE WHEN s.history > 1000000 THEN 'advice' ELSE 'ok' END,
  CONCAT(s.history, ' transactions to purge'),
  CASE WHEN s.history > 1000000 THEN
    'claims get slower until they are purged: end old transactions, or let more threads purge'
  END
FROM seen AS s WHERE s.history IS NOT NULL
LIMIT 1000
