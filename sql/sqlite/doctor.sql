-- Promise: says of the connection's settings, of the file and of the tables whether they are fit for
--   the queue. Reads settings and the catalogue alone, so the tables need not be there.
-- Locks: none.
-- https://www.sqlite.org/pragma.html#pragfunc
-- parameters: borrowed int64
--
-- The settings are those of this connection, but for the journal mode, which is the file's. The
-- busy time-out of the library's own connections is a handler of the driver's, which no pragma shows.
-- columns: subject text, verdict text, found text, advice text
WITH place(name) AS MATERIALIZED (
  SELECT coalesce(nullif(rtrim('{schema}', '.'), ''), 'main')
),
setting(journal_mode, synchronous, locking_mode, busy_timeout) AS MATERIALIZED (
  SELECT
    (SELECT journal_mode FROM pragma_journal_mode WHERE schema = place.name),
    (SELECT synchronous FROM pragma_synchronous WHERE schema = place.name),
    (SELECT locking_mode FROM pragma_locking_mode WHERE schema = place.name),
    (SELECT timeout FROM pragma_busy_timeout)
  FROM place
),
looked(subject, verdict, found, advice) AS (
  -- Versions count as 3.MINOR.PATCH.
  SELECT 'library version',
    CASE WHEN CAST(substr(sqlite_version(), 3) AS REAL) >= 40 THEN 'ok' ELSE 'problem' END,
    sqlite_version(),
    'link or load SQLite 3.40 or newer'
  UNION ALL
  SELECT 'journal_mode',
    CASE
      WHEN journal_mode = 'wal' THEN 'ok'
      WHEN journal_mode IN ('off', 'memory') THEN 'problem'
      ELSE 'advice'
    END,
    journal_mode,
    CASE
      WHEN journal_mode IN ('off', 'memory')
        THEN 'a crash can spoil the file; once, and nobody else connected: PRAGMA journal_mode=WAL'
      ELSE 'readers and the writer wait for each other; once, and nobody else connected: '
        || 'PRAGMA journal_mode=WAL'
    END
  FROM setting
  UNION ALL
  SELECT 'synchronous',
    CASE WHEN synchronous >= 2 THEN 'ok' WHEN synchronous = 1 THEN 'advice' ELSE 'problem' END,
    CASE synchronous WHEN 0 THEN 'off' WHEN 1 THEN 'normal' WHEN 2 THEN 'full' ELSE 'extra' END,
    CASE
      WHEN synchronous = 0 THEN 'a power cut can spoil the file: PRAGMA synchronous=FULL'
      WHEN journal_mode = 'wal'
        THEN 'a power cut can undo the last commits: PRAGMA synchronous=FULL'
      ELSE 'a power cut can, rarely, spoil the file: PRAGMA synchronous=FULL'
    END
  FROM setting
  UNION ALL
  SELECT 'busy_timeout',
    CASE WHEN busy_timeout = 0 AND :borrowed = 1 THEN 'advice' ELSE 'ok' END,
    CASE
      WHEN busy_timeout > 0 THEN busy_timeout || ' ms'
      WHEN :borrowed = 1 THEN 'none, unless there is a handler'
      ELSE 'by the handler of the driver'
    END,
    'a writer that meets another is refused at once: PRAGMA busy_timeout=5000'
  FROM setting
  UNION ALL
  SELECT 'locking_mode',
    CASE WHEN locking_mode = 'exclusive' THEN 'problem' ELSE 'ok' END,
    locking_mode,
    'nobody else can use the file: PRAGMA locking_mode=NORMAL'
  FROM setting
  UNION ALL
  SELECT 'query_only',
    CASE WHEN query_only = 0 THEN 'ok' ELSE 'problem' END,
    CASE WHEN query_only = 0 THEN 'off' ELSE 'on' END,
    'nothing can be written on this connection: PRAGMA query_only=OFF'
  FROM pragma_query_only
  UNION ALL
  -- SQLite 3.40 counts its own JSON functions, which the checks of tq_job call, as unsafe there.
  SELECT 'trusted_schema',
    CASE
      WHEN trusted_schema = 1 THEN 'ok'
      WHEN CAST(substr(sqlite_version(), 3) AS REAL) >= 41 THEN 'advice'
      ELSE 'problem'
    END,
    CASE WHEN trusted_schema = 1 THEN 'on' ELSE 'off' END,
    'SQLite 3.40 stores no job on such a connection: PRAGMA trusted_schema=ON'
  FROM pragma_trusted_schema
  UNION ALL
  -- Any of them does.
  SELECT 'encoding', 'ok', encoding, NULL FROM pragma_encoding
)
SELECT subject, verdict, found, CASE WHEN verdict <> 'ok' THEN advice END FROM looked
-- step
-- Free pages can be counted in the main file alone.
-- columns: subject text, verdict text, found text, advice text
WITH place(name) AS MATERIALIZED (
  SELECT coalesce(nullif(rtrim('{schema}', '.'), ''), 'main')
),
file(pages, page_size, free) AS MATERIALIZED (
  SELECT
    (SELECT page_count FROM pragma_page_count WHERE schema = place.name),
    (SELECT page_size FROM pragma_page_size WHERE schema = place.name),
    CASE WHEN place.name = 'main' THEN (SELECT freelist_count FROM pragma_freelist_count) END
  FROM place
),
judged(wasteful) AS (SELECT coalesce(free > 10000 AND free * 2 > pages, false) FROM file)
SELECT 'size',
  CASE WHEN judged.wasteful THEN 'advice' ELSE 'ok' END,
  file.pages || ' pages of ' || file.page_size || ' bytes'
    || coalesce(', ' || file.free || ' of them free', ''),
  CASE WHEN judged.wasteful
    THEN 'free pages are used again; to make the file smaller, while nobody writes: VACUUM' END
FROM file CROSS JOIN judged
-- step
-- What the migrations make. Without any table the version of the schema says all.
-- columns: subject text, verdict text, found text, advice text
WITH wanted(type, name) AS (
  VALUES ('table', 'tq_job'), ('table', 'tq_queue'), ('table', 'tq_failure'),
    ('table', 'tq_schema'), ('index', 'tq_job_claim'), ('index', 'tq_job_lease'),
    ('index', 'tq_job_unique'), ('index', 'tq_job_running'), ('index', 'tq_job_group'),
    ('index', 'tq_job_final')
),
missing(type, name) AS MATERIALIZED (
  SELECT wanted.type, wanted.name
  FROM wanted
  LEFT JOIN {schema}sqlite_schema AS there
    ON there.type = wanted.type AND there.name = wanted.name
  WHERE there.name IS NULL
),
installed(yes) AS (SELECT count(*) < 4 FROM missing WHERE type = 'table')
SELECT missing.type || ' ' || missing.name, 'problem', 'missing',
  'the script of `tq init --print` makes what is missing, and leaves the rest as it is'
FROM missing CROSS JOIN installed
WHERE installed.yes
UNION ALL
SELECT wanted.type || CASE wanted.type WHEN 'index' THEN 'es' ELSE 's' END, 'ok',
  group_concat(wanted.name, ', '), NULL
FROM wanted CROSS JOIN installed
WHERE installed.yes AND wanted.type NOT IN (SELECT type FROM missing)
GROUP BY wanted.type
ORDER BY 1 DESC
