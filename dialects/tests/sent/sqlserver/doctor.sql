-- bound: borrowed int64
SET NOCOUNT ON;
DECLARE @borrowed bigint = ?;
DECLARE @wrong nvarchar(400) = CONCAT(
  CASE SESSIONPROPERTY('ANSI_NULLS') WHEN 0 THEN N'ANSI_NULLS OFF, ' END,
  CASE SESSIONPROPERTY('ANSI_PADDING') WHEN 0 THEN N'ANSI_PADDING OFF, ' END,
  CASE SESSIONPROPERTY('ANSI_WARNINGS') WHEN 0 THEN N'ANSI_WARNINGS OFF, ' END,
  CASE SESSIONPROPERTY('ARITHABORT') WHEN 0 THEN N'ARITHABORT OFF, ' END,
  CASE SESSIONPROPERTY('CONCAT_NULL_YIELDS_NULL') WHEN 0 THEN N'CONCAT_NULL_YIELDS_NULL OFF, ' END,
  CASE SESSIONPROPERTY('QUOTED_IDENTIFIER') WHEN 0 THEN N'QUOTED_IDENTIFIER OFF, ' END,
  CASE SESSIONPROPERTY('NUMERIC_ROUNDABORT') WHEN 1 THEN N'NUMERIC_ROUNDABORT ON, ' END);
WITH db AS (
  SELECT
    QUOTENAME(d.name) COLLATE DATABASE_DEFAULT AS name,
    CAST(d.compatibility_level AS int) AS level,
    d.is_read_committed_snapshot_on AS versioned,
    d.is_auto_close_on AS closes,
    d.delayed_durability_desc COLLATE DATABASE_DEFAULT AS durability,
    CONCAT(d.recovery_model_desc, N', log waits for ', d.log_reuse_wait_desc)
      COLLATE DATABASE_DEFAULT AS recovery,
    CAST(DATABASEPROPERTYEX(d.name, 'Updateability') AS nvarchar(20)) AS writing,
    
    REPLACE(@wrong, N'ARITHABORT OFF, ',
      CASE SESSIONPROPERTY('ANSI_WARNINGS') WHEN 1 THEN N'' ELSE N'ARITHABORT OFF, ' END) AS wrong
  FROM sys.databases AS d
  WHERE d.database_id = DB_ID()
), looked (nth, subject, fine, otherwise, found, advice) AS (
  SELECT 1, N'server version',
    CASE WHEN CAST(SERVERPROPERTY('ProductMajorVersion') AS int) >= 15
      OR CAST(SERVERPROPERTY('EngineEdition') AS int) IN (5, 8) THEN 1 ELSE 0 END,
    N'problem',
    CONCAT(CAST(SERVERPROPERTY('ProductVersion') AS nvarchar(128)), N', ',
      CAST(SERVERPROPERTY('Edition') AS nvarchar(128))),
    N'upgrade the server to SQL Server 2019 or newer'
  UNION ALL
  SELECT 2, N'compatibility level', CASE WHEN d.level >= 150 THEN 1 ELSE 0 END,
    CASE WHEN d.level < 130 THEN N'problem' ELSE N'advice' END,
    CAST(d.level AS nvarchar(11)),
    CONCAT(N'below 130 there is no OPENJSON; 150 is what the plans were thought out for: ',
      N'ALTER DATABASE ', d.name, N' SET COMPATIBILITY_LEVEL = 150')
  FROM db AS d
  UNION ALL
  SELECT 3, N'read_committed_snapshot', d.versioned, N'advice',
    CASE d.versioned WHEN 1 THEN N'on' ELSE N'off' END,
    CONCAT(N'claims are right either way, but stats, list and show wait for rows that are being ',
      N'written: ALTER DATABASE ', d.name, N' SET READ_COMMITTED_SNAPSHOT ON')
  FROM db AS d
  UNION ALL
  SELECT 4, N'writable', CASE d.writing WHEN N'READ_WRITE' THEN 1 ELSE 0 END, N'problem',
    d.writing,
    CONCAT(N'connect to the primary replica; if this is it: ALTER DATABASE ', d.name,
      N' SET READ_WRITE')
  FROM db AS d
  UNION ALL
  
  
  SELECT 5, N'session options', CASE d.wrong WHEN N'' THEN 1 ELSE 0 END, N'problem',
    CASE d.wrong WHEN N'' THEN N'as filtered indexes need them'
      ELSE LEFT(d.wrong, LEN(d.wrong) - 1) END,
    CONCAT(N'every change is refused: SET ANSI_NULLS, ANSI_PADDING, ANSI_WARNINGS, ARITHABORT, ',
      N'CONCAT_NULL_YIELDS_NULL, QUOTED_IDENTIFIER ON; SET NUMERIC_ROUNDABORT OFF')
  FROM db AS d
  UNION ALL
  SELECT 6, N'xact_abort', CASE WHEN @@OPTIONS & 16384 = 0 THEN 1 ELSE 0 END, N'advice',
    CASE WHEN @@OPTIONS & 16384 = 0 THEN N'off' ELSE N'on' END,
    N'an error of a statement of ours ends your transaction, but for a refused duplicate'
  WHERE @borrowed = 1
  UNION ALL
  SELECT 7, N'delayed durability', CASE d.durability WHEN N'DISABLED' THEN 1 ELSE 0 END, N'advice',
    LOWER(d.durability),
    CONCAT(N'a crash can undo the last commits: ALTER DATABASE ', d.name,
      N' SET DELAYED_DURABILITY = DISABLED')
  FROM db AS d
  UNION ALL
  SELECT 8, N'auto_close', 1 - d.closes, N'advice', CASE d.closes WHEN 1 THEN N'on' ELSE N'off' END,
    CONCAT(N'the first connection after a pause waits for the database to be opened: ',
      N'ALTER DATABASE ', d.name, N' SET AUTO_CLOSE OFF')
  FROM db AS d
  UNION ALL
  SELECT 9, N'recovery model', 1, N'ok', d.recovery, NULL
  FROM db AS d
)
SELECT
  l.subject,
  CASE l.fine WHEN 1 THEN N'ok' ELSE l.otherwise END AS verdict,
  l.found,
  CASE l.fine WHEN 1 THEN NULL ELSE l.advice END AS advice
FROM looked AS l
ORDER BY l.nth
-- bound: nothing
WITH wanted (kind, name, on_table) AS (
  SELECT w.kind, w.name, w.on_table
  FROM (VALUES
    (N'table', N'tq_job', N'tq_job'), (N'table', N'tq_queue', N'tq_queue'),
    (N'table', N'tq_failure', N'tq_failure'), (N'table', N'tq_schema', N'tq_schema'),
    (N'index', N'tq_job_pk', N'tq_job'), (N'index', N'tq_job_claim', N'tq_job'),
    (N'index', N'tq_job_settle', N'tq_job'), (N'index', N'tq_job_lease', N'tq_job'),
    (N'index', N'tq_job_unique', N'tq_job'), (N'index', N'tq_job_running', N'tq_job'),
    (N'index', N'tq_job_group', N'tq_job'), (N'index', N'tq_job_final', N'tq_job'),
    (N'index', N'tq_failure_pk', N'tq_failure'), (N'index', N'tq_queue_pk', N'tq_queue')
  ) AS w (kind, name, on_table)
), there AS (
  SELECT
    w.kind, w.name, w.on_table,
    OBJECT_ID(CONCAT(N'', w.on_table), N'U') AS table_id,
    i.index_id, i.is_disabled,
    CASE WHEN i.has_filter = 1 AND w.name IN (N'tq_job_pk', N'tq_failure_pk', N'tq_queue_pk') THEN 0
      WHEN i.has_filter = 0 AND w.name NOT IN (N'tq_job_pk', N'tq_failure_pk', N'tq_queue_pk')
        THEN 0
      WHEN i.is_unique = 0 AND w.name IN (N'tq_job_unique', N'tq_job_running') THEN 0
      ELSE 1 END AS right_one
  FROM wanted AS w
  LEFT JOIN sys.indexes AS i ON w.kind = N'index'
    AND i.object_id = OBJECT_ID(CONCAT(N'', w.on_table), N'U')
    AND i.name = w.name COLLATE DATABASE_DEFAULT
), judged AS (
  SELECT
    t.kind, t.name, t.on_table,
    CASE
      WHEN t.kind = N'table' AND t.table_id IS NULL THEN N'missing, or no permission on it'
      WHEN t.kind = N'index' AND t.index_id IS NULL THEN N'missing'
      WHEN t.kind = N'index' AND t.is_disabled = 1 THEN N'disabled'
      WHEN t.kind = N'index' AND t.right_one = 0 THEN N'another index of that name'
    END AS wrong
  FROM there AS t
  WHERE t.kind = N'table' OR t.table_id IS NOT NULL
), shown AS (
  SELECT CONCAT(j.kind, N' ', j.name) AS subject, N'problem' AS verdict, j.wrong AS found,
    CASE
      WHEN j.wrong = N'disabled'
        THEN CONCAT(N'ALTER INDEX ', j.name, N' ON ', j.on_table, N' REBUILD')
      WHEN j.wrong = N'another index of that name'
        THEN CONCAT(N'DROP INDEX ', j.name, N' ON ', j.on_table,
          N'; then the script of `tq init --print` makes the right one')
      ELSE N'the script of `tq init --print` makes what is missing, and leaves the rest as it is'
    END AS advice
  FROM judged AS j
  WHERE j.wrong IS NOT NULL
    AND EXISTS (SELECT 1 FROM judged AS o WHERE o.kind = N'table' AND o.wrong IS NULL)
  UNION ALL
  SELECT CASE j.kind WHEN N'table' THEN N'tables' ELSE N'indexes' END, N'ok',
    STRING_AGG(j.name, N', ') WITHIN GROUP (ORDER BY j.name), NULL
  FROM judged AS j
  GROUP BY j.kind
  HAVING COUNT(j.wrong) = 0
  UNION ALL
  
  SELECT N'lock escalation', CASE t.lock_escalation_desc WHEN N'DISABLE' THEN N'ok' ELSE N'advice' END,
    LOWER(t.lock_escalation_desc) COLLATE DATABASE_DEFAULT,
    CASE WHEN t.lock_escalation_desc <> N'DISABLE'
      THEN N'ALTER TABLE tq_job SET (LOCK_ESCALATION = DISABLE)' END
  FROM sys.tables AS t
  WHERE t.object_id = OBJECT_ID(N'tq_job', N'U')
  UNION ALL
  SELECT N'page locks', CASE WHEN COUNT(*) = 0 THEN N'ok' ELSE N'advice' END,
    CASE WHEN COUNT(*) = 0 THEN N'none' ELSE CONCAT(N'allowed on ', COUNT(*), N' indexes') END,
    CASE WHEN COUNT(*) > 0
      THEN N'ALTER INDEX ALL ON tq_job SET (ALLOW_PAGE_LOCKS = OFF)' END
  FROM sys.indexes AS i
  WHERE i.object_id = OBJECT_ID(N'tq_job', N'U') AND i.allow_page_locks = 1
  HAVING OBJECT_ID(N'tq_job', N'U') IS NOT NULL
  UNION ALL
  SELECT N'collations', CASE WHEN COUNT(*) = 0 THEN N'ok' ELSE N'problem' END,
    CASE WHEN COUNT(*) = 0 THEN N'names compare by their code points'
      ELSE STRING_AGG(CONCAT(c.name, N' ', c.collation_name) COLLATE DATABASE_DEFAULT, N', ') END,
    CASE WHEN COUNT(*) > 0
      THEN N'names that differ are taken for equal: give each column COLLATE Latin1_General_100_BIN2'
    END
  FROM sys.columns AS c
  WHERE c.object_id IN (OBJECT_ID(N'tq_job', N'U'), OBJECT_ID(N'tq_queue', N'U'))
    AND c.collation_name <> N'Latin1_General_100_BIN2'
  HAVING OBJECT_ID(N'tq_job', N'U') IS NOT NULL
)
SELECT s.subject, s.verdict, s.found, s.advice
FROM shown AS s
ORDER BY s.subject DESC
-- bound: nothing
WITH wanted (purpose, nth, name, permission, only_column) AS (
  SELECT w.purpose, w.nth, w.name, w.permission, w.only_column
  FROM (VALUES
    (N'enqueue', 1, N'tq_schema', N'SELECT', NULL), (N'enqueue', 1, N'tq_job', N'INSERT', NULL),
    (N'enqueue', 1, N'tq_job', N'SELECT', N'job_id'), (N'enqueue', 1, N'tq_job', N'SELECT', N'queue'),
    (N'enqueue', 1, N'tq_job', N'SELECT', N'unique_key'),
    (N'enqueue', 1, N'tq_job', N'SELECT', N'finished_at'),
    (N'work', 2, N'tq_schema', N'SELECT', NULL), (N'work', 2, N'tq_queue', N'SELECT', NULL),
    (N'work', 2, N'tq_job', N'SELECT', NULL), (N'work', 2, N'tq_job', N'UPDATE', N'state'),
    (N'work', 2, N'tq_job', N'DELETE', NULL), (N'work', 2, N'tq_failure', N'SELECT', NULL),
    (N'work', 2, N'tq_failure', N'INSERT', NULL), (N'work', 2, N'tq_failure', N'UPDATE', NULL),
    (N'work', 2, N'tq_failure', N'DELETE', NULL),
    (N'operate', 3, N'tq_schema', N'SELECT', NULL), (N'operate', 3, N'tq_queue', N'SELECT', NULL),
    (N'operate', 3, N'tq_queue', N'INSERT', NULL), (N'operate', 3, N'tq_queue', N'UPDATE', N'paused_at'),
    (N'operate', 3, N'tq_job', N'SELECT', NULL), (N'operate', 3, N'tq_job', N'UPDATE', NULL),
    (N'operate', 3, N'tq_job', N'DELETE', NULL), (N'operate', 3, N'tq_failure', N'SELECT', NULL),
    (N'operate', 3, N'tq_failure', N'INSERT', NULL), (N'operate', 3, N'tq_failure', N'UPDATE', NULL),
    (N'operate', 3, N'tq_failure', N'DELETE', NULL)
  ) AS w (purpose, nth, name, permission, only_column)
), lacking AS (
  SELECT w.purpose, w.nth,
    CONCAT(N'GRANT ', w.permission,
      CASE WHEN w.only_column IS NULL THEN N'' ELSE CONCAT(N' (', w.only_column, N')') END,
      N' ON ', w.name, N' TO ', QUOTENAME(USER_NAME())) AS statement
  FROM wanted AS w
  WHERE 1 <> COALESCE(
    CASE
      WHEN w.only_column IS NULL
        THEN HAS_PERMS_BY_NAME(CONCAT(N'', w.name), 'OBJECT', w.permission)
      ELSE HAS_PERMS_BY_NAME(CONCAT(N'', w.name), 'OBJECT', w.permission, w.only_column,
        'COLUMN')
    END, 0)
), summed AS (
  SELECT u.purpose, u.nth, (
    SELECT STRING_AGG(CAST(l.statement AS nvarchar(max)), N'; ') WITHIN GROUP (ORDER BY l.statement)
    FROM lacking AS l
    WHERE l.purpose = u.purpose) AS statements
  FROM (VALUES (N'enqueue', 1), (N'work', 2), (N'operate', 3)) AS u (purpose, nth)
)
SELECT
  CONCAT(N'may ', s.purpose) AS subject,
  CASE
    WHEN s.statements IS NULL THEN N'ok'
    WHEN EXISTS (SELECT 1 FROM summed AS o WHERE o.statements IS NULL) THEN N'advice'
    ELSE N'problem'
  END AS verdict,
  CONCAT(USER_NAME(), CASE WHEN s.statements IS NULL THEN N' may' ELSE N' may not' END) AS found,
  CASE WHEN s.statements IS NOT NULL THEN CONCAT(N'if it is to: ', s.statements) END AS advice
FROM summed AS s
WHERE OBJECT_ID(N'tq_schema', N'U') IS NOT NULL OR OBJECT_ID(N'tq_job', N'U') IS NOT NULL
ORDER BY s.nth
