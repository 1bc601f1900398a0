-- Promise: says of the server's settings, the tables, the role's privileges and the upkeep of the job
-- table whether they are fit for the queue. Reads settings, catalogues and statistics alone, so the
-- tables need not be there.
-- Locks: none on rows; on the job table, for its size, the one that any reader takes.
-- https://www.postgresql.org/docs/current/catalogs.html
-- https://www.postgresql.org/docs/current/view-pg-settings.html
-- columns: subject text, verdict text, found text, advice text
WITH setting AS MATERIALIZED (
  -- What connections of the library's own have set for themselves is not what others get.
  SELECT s.name, s.setting, s.reset_val FROM pg_settings AS s
), mine AS MATERIALIZED (
  -- Nothing else that is stored has a say over this.
  SELECT format('ALTER ROLE %I IN DATABASE %I SET ', session_user, current_database()) AS alter_role
), looked (nth, subject, fine, otherwise, found, advice) AS (
  SELECT 1, 'server version', CAST(s.setting AS integer) >= 140000, 'problem',
    current_setting('server_version'), 'upgrade the server to PostgreSQL 14 or newer'
  FROM setting AS s WHERE s.name = 'server_version_num'
  UNION ALL
  SELECT 2, 'encoding', s.setting = 'UTF8', 'problem', s.setting,
    'names and payloads are UTF-8, so make another database: '
      || 'CREATE DATABASE name ENCODING ''UTF8'' TEMPLATE template0'
  FROM setting AS s WHERE s.name = 'server_encoding'
  UNION ALL
  -- The library's own connections are not hurt.
  SELECT 3, 'default isolation', s.reset_val = 'read committed', 'advice', s.reset_val,
    'transactions of the application that enqueue or complete may fail with 40001 and have to be '
      || 'repeated, or: ' || m.alter_role || s.name || ' = ''read committed'''
  FROM setting AS s CROSS JOIN mine AS m WHERE s.name = 'default_transaction_isolation'
  UNION ALL
  SELECT 4, 'primary', NOT pg_is_in_recovery(), 'problem',
    CASE WHEN pg_is_in_recovery() THEN 'a standby, which can be read only' ELSE 'yes' END,
    'connect to the primary, for example with target_session_attrs=read-write in the URL'
  UNION ALL
  SELECT 5, 'read-only by default', s.setting = 'off', 'problem', s.setting,
    'BEGIN READ WRITE; ' || m.alter_role || s.name || ' = off; COMMIT'
  FROM setting AS s CROSS JOIN mine AS m WHERE s.name = 'default_transaction_read_only'
  UNION ALL
  SELECT 6, s.name, s.setting = 'on', 'problem', s.setting,
    'a power cut can spoil every table: ALTER SYSTEM SET ' || s.name
      || ' = on; SELECT pg_reload_conf()'
  FROM setting AS s WHERE s.name IN ('fsync', 'full_page_writes')
  UNION ALL
  SELECT 7, s.name, s.setting <> 'off', 'advice', s.setting,
    'a crash can undo the last commits: a job is lost, or runs again; ' || m.alter_role || s.name
      || ' = on'
  FROM setting AS s CROSS JOIN mine AS m WHERE s.name = 'synchronous_commit'
)
SELECT
  l.subject,
  CASE WHEN l.fine THEN 'ok' ELSE l.otherwise END AS verdict,
  l.found,
  CASE WHEN NOT l.fine THEN l.advice END AS advice
FROM looked AS l
ORDER BY l.nth, l.subject
-- step
-- What the migrations make. Without any table the version of the schema says all. By pg_class and
-- not by to_regclass(), which is an error where the schema may not be used.
-- columns: subject text, verdict text, found text, advice text
WITH wanted (kind, name) AS (
  VALUES ('table', 'tq_job'), ('table', 'tq_queue'), ('table', 'tq_failure'),
    ('table', 'tq_schema'), ('index', 'tq_job_claim'), ('index', 'tq_job_settle'),
    ('index', 'tq_job_lease'), ('index', 'tq_job_unique'), ('index', 'tq_job_running'),
    ('index', 'tq_job_group'), ('index', 'tq_job_final')
), there AS MATERIALIZED (
  SELECT w.kind, w.name, c.oid, n.nspname,
    (SELECT i.indisvalid FROM pg_index AS i WHERE i.indexrelid = c.oid) AS valid
  FROM wanted AS w
  LEFT JOIN (
    pg_class AS c
    JOIN pg_namespace AS n ON n.oid = c.relnamespace
      AND CASE WHEN '{schema}' = '' THEN pg_table_is_visible(c.oid)
        ELSE n.nspname || '.' = '{schema}' END)
    ON c.relname = w.name
      AND c.relkind = ANY (CAST(CASE w.kind WHEN 'table' THEN '{r,p}' ELSE '{i,I}' END AS "char"[]))
), bad AS MATERIALIZED (
  SELECT t.kind, t.name, t.oid, t.nspname
  FROM there AS t
  WHERE (t.oid IS NULL OR NOT COALESCE(t.valid, true))
    AND EXISTS (SELECT 1 FROM there AS o WHERE o.kind = 'table' AND o.oid IS NOT NULL)
)
SELECT
  b.kind || ' ' || b.name AS subject,
  'problem' AS verdict,
  CASE WHEN b.oid IS NULL THEN 'missing' ELSE 'not valid' END AS found,
  CASE
    WHEN b.oid IS NULL
      THEN 'the script of `tq init --print` makes what is missing, and leaves the rest as it is'
    ELSE format('REINDEX INDEX CONCURRENTLY %I.%I', b.nspname, b.name)
  END AS advice
FROM bad AS b
UNION ALL
SELECT
  CASE t.kind WHEN 'table' THEN 'tables' ELSE 'indexes' END,
  'ok',
  string_agg(t.name, ', ' ORDER BY t.name) || ' in ' || string_agg(DISTINCT t.nspname, ', '),
  NULL
FROM there AS t
WHERE t.oid IS NOT NULL AND t.kind NOT IN (SELECT b.kind FROM bad AS b)
GROUP BY t.kind
ORDER BY subject DESC
-- step
-- What the role may do, by the grants of the three roles that docs/operations.md describes: one that
-- has only some of them is as it should be. Without columns the whole table is meant.
-- columns: subject text, verdict text, found text, advice text
WITH wanted (use, name, privilege, columns) AS (
  VALUES
    ('enqueue', 'tq_schema', 'SELECT', NULL),
    ('enqueue', 'tq_queue', 'SELECT', NULL),
    ('enqueue', 'tq_job', 'SELECT',
      'job_id, queue, state, run_at, created_at, unique_key, group_key'),
    ('enqueue', 'tq_job', 'INSERT',
      'job_id, queue, kind, payload, priority, run_at, created_at, max_attempts, unique_key, '
        || 'group_key, gate'),
    ('work', 'tq_schema', 'SELECT', NULL),
    ('work', 'tq_queue', 'SELECT', NULL),
    ('work', 'tq_queue', 'INSERT', 'queue, listen_until'),
    ('work', 'tq_queue', 'UPDATE', 'listen_until'),
    ('work', 'tq_job', 'SELECT', NULL),
    ('work', 'tq_job', 'UPDATE',
      'state, gate, attempts, max_attempts, run_at, worker_id, lease_until, finished_at, '
        || 'last_worker, last_outcome, last_error, cancel_requested_at'),
    ('work', 'tq_job', 'DELETE', NULL),
    ('work', 'tq_failure', 'SELECT', NULL),
    ('work', 'tq_failure', 'INSERT', NULL),
    ('work', 'tq_failure', 'UPDATE', NULL),
    ('work', 'tq_failure', 'DELETE', NULL),
    ('operate', 'tq_schema', 'SELECT', NULL),
    ('operate', 'tq_queue', 'SELECT', NULL),
    ('operate', 'tq_queue', 'INSERT', 'queue, paused_at'),
    ('operate', 'tq_queue', 'UPDATE', 'paused_at'),
    ('operate', 'tq_job', 'SELECT', NULL),
    ('operate', 'tq_job', 'UPDATE', NULL),
    ('operate', 'tq_job', 'DELETE', NULL),
    ('operate', 'tq_failure', 'SELECT', NULL),
    ('operate', 'tq_failure', 'INSERT', NULL),
    ('operate', 'tq_failure', 'UPDATE', NULL),
    ('operate', 'tq_failure', 'DELETE', NULL)
), there AS MATERIALIZED (
  SELECT w.use, w.privilege, w.columns, w.name, c.oid, n.oid AS namespace, n.nspname
  FROM wanted AS w
  JOIN pg_class AS c ON c.relname = w.name AND c.relkind IN ('r', 'p')
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
    AND CASE WHEN '{schema}' = '' THEN pg_table_is_visible(c.oid)
      ELSE n.nspname || '.' = '{schema}' END
), lacking AS MATERIALIZED (
  SELECT t.use,
    format('GRANT %s%s ON %I.%I TO %I', t.privilege, ' (' || t.columns || ')', t.nspname, t.name,
      current_user) AS statement
  FROM there AS t
  WHERE NOT has_table_privilege(t.oid, t.privilege)
    AND (t.columns IS NULL OR EXISTS (
      SELECT 1
      FROM pg_attribute AS a
      WHERE a.attrelid = t.oid AND a.attname = ANY (string_to_array(t.columns, ', '))
        AND NOT has_column_privilege(t.oid, a.attnum, t.privilege)))
  UNION
  SELECT t.use, format('GRANT USAGE ON SCHEMA %I TO %I', t.nspname, current_user)
  FROM there AS t
  WHERE NOT has_schema_privilege(t.namespace, 'USAGE')
), summed AS MATERIALIZED (
  SELECT u.use, u.nth,
    (SELECT string_agg(l.statement, '; ' ORDER BY l.statement DESC)
     FROM lacking AS l WHERE l.use = u.use) AS statements
  FROM (VALUES ('enqueue', 1), ('work', 2), ('operate', 3)) AS u (use, nth)
)
SELECT
  'may ' || s.use AS subject,
  CASE
    WHEN s.statements IS NULL THEN 'ok'
    WHEN EXISTS (SELECT 1 FROM summed AS o WHERE o.statements IS NULL) THEN 'advice'
    ELSE 'problem'
  END AS verdict,
  current_user || CASE WHEN s.statements IS NULL THEN ' may' ELSE ' may not' END AS found,
  CASE WHEN s.statements IS NOT NULL THEN 'if it is to: ' || s.statements END AS advice
FROM summed AS s
WHERE EXISTS (SELECT 1 FROM there AS t)
ORDER BY s.nth
-- step
-- Every job is written at least three times, so the table lives by vacuum.
-- https://www.postgresql.org/docs/current/routine-vacuuming.html
-- columns: subject text, verdict text, found text, advice text
WITH job AS MATERIALIZED (
  SELECT c.oid, format('%I.%I', n.nspname, c.relname) AS name, c.reloptions,
    pg_stat_get_live_tuples(c.oid) AS live,
    pg_stat_get_dead_tuples(c.oid) AS dead,
    pg_stat_get_last_autovacuum_time(c.oid) AS vacuumed,
    pg_table_size(c.oid) AS table_size,
    pg_indexes_size(c.oid) AS indexes_size
  FROM pg_class AS c
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
  WHERE c.relname = 'tq_job' AND c.relkind IN ('r', 'p')
    AND CASE WHEN '{schema}' = '' THEN pg_table_is_visible(c.oid)
      ELSE n.nspname || '.' = '{schema}' END
), looked (nth, subject, fine, otherwise, found, advice) AS (
  SELECT 1, 'autovacuum of the server', s.fine, 'problem',
    CASE WHEN s.fine THEN 'on' ELSE 'off' END,
    'claims get slower without end: ALTER SYSTEM SET autovacuum = on; '
      || 'ALTER SYSTEM SET track_counts = on; SELECT pg_reload_conf()'
  FROM (SELECT current_setting('autovacuum') = 'on' AND current_setting('track_counts') = 'on')
    AS s (fine)
  UNION ALL
  SELECT 2, 'autovacuum of tq_job', s.fine, 'problem', CASE WHEN s.fine THEN 'on' ELSE 'off' END,
    'claims get slower without end: ALTER TABLE ' || j.name || ' RESET (autovacuum_enabled)'
  FROM job AS j
  CROSS JOIN LATERAL (
    SELECT COALESCE(bool_and(CAST(o.option_value AS boolean)), true)
    FROM pg_options_to_table(j.reloptions) AS o
    WHERE o.option_name = 'autovacuum_enabled') AS s (fine)
  UNION ALL
  SELECT 3, 'dead rows', j.dead <= 10000 OR j.dead <= j.live, 'advice',
    j.dead || ' dead, ' || j.live || ' live; last autovacuum: '
      || COALESCE(to_char(j.vacuumed AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC', 'never'),
    'if nothing holds them back: VACUUM ' || j.name
  FROM job AS j
  UNION ALL
  SELECT 4, 'size', j.indexes_size <= 100000000 OR j.indexes_size <= 2 * j.table_size, 'advice',
    'table ' || pg_size_pretty(j.table_size) || ', indexes ' || pg_size_pretty(j.indexes_size),
    'indexes have swollen: REINDEX TABLE CONCURRENTLY ' || j.name
  FROM job AS j
)
SELECT
  l.subject,
  CASE WHEN l.fine THEN 'ok' ELSE l.otherwise END AS verdict,
  l.found,
  CASE WHEN NOT l.fine THEN l.advice END AS advice
FROM looked AS l
ORDER BY l.nth
-- step
-- What keeps vacuum from working: an old snapshot, of whatever kind. The session of this statement
-- is left out.
-- columns: subject text, verdict text, found text, advice text
WITH holder (what, age, old, advice) AS MATERIALIZED (
  SELECT
    'session ' || a.pid || ' of ' || COALESCE(a.usename, '(unknown)')
      || COALESCE(' (' || NULLIF(a.application_name, '') || ')', '') || ', '
      || COALESCE(a.state, a.backend_type),
    EXTRACT(EPOCH FROM clock_timestamp() - a.xact_start),
    a.xact_start < clock_timestamp() - INTERVAL '10 minutes',
    'end it: SELECT pg_terminate_backend(' || a.pid || ')'
  FROM pg_stat_activity AS a
  WHERE (a.backend_xmin IS NOT NULL OR a.backend_xid IS NOT NULL)
    AND a.pid <> pg_backend_pid() AND a.datname = current_database()
    -- Vacuum itself holds nothing back.
    AND a.backend_type <> 'autovacuum worker'
  UNION ALL
  SELECT 'prepared transaction ' || p.gid || ' of ' || p.owner,
    EXTRACT(EPOCH FROM clock_timestamp() - p.prepared),
    p.prepared < clock_timestamp() - INTERVAL '10 minutes',
    'COMMIT PREPARED or ROLLBACK PREPARED ' || quote_literal(p.gid)
  FROM pg_prepared_xacts AS p
  WHERE p.database = current_database()
  UNION ALL
  -- A slot has no time, but counts the transactions since. That of a standby with
  -- hot_standby_feedback stands for the sessions there.
  SELECT 'replication slot ' || r.slot_name || ', ' || age(r.xmin) || ' transactions old',
    0, age(r.xmin) > 1000000,
    'see to its standby or subscriber, or: SELECT pg_drop_replication_slot('
      || quote_literal(r.slot_name) || ')'
  FROM pg_replication_slots AS r
  WHERE r.xmin IS NOT NULL
), seen (everyone) AS MATERIALIZED (
  SELECT pg_has_role('pg_read_all_stats', 'USAGE')
)
SELECT
  'old snapshot' AS subject,
  'advice' AS verdict,
  h.what || CASE WHEN h.age > 0 THEN ', ' || CAST(h.age AS bigint) || ' s' ELSE '' END AS found,
  'dead rows cannot be cleared meanwhile; ' || h.advice AS advice
FROM holder AS h
WHERE h.old
UNION ALL
SELECT
  'old snapshots',
  'ok',
  'none' || CASE WHEN s.everyone THEN '' ELSE ' that this role can see' END,
  NULL
FROM seen AS s
WHERE NOT EXISTS (SELECT 1 FROM holder AS h WHERE h.old)
