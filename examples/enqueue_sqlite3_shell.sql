-- A producer in plain SQL, for SQLite: the order and its job commit together or not at all.
--   sqlite3 shop.db <examples/enqueue_sqlite3_shell.sql
-- The tables orders and stock are the application's own; `tq init` has made tq_job.
.bail on
.timeout 5000
BEGIN IMMEDIATE;

-- [quote]
-- What a job needs: queue, kind and payload. Everything else has a default.
INSERT INTO orders (item) VALUES ('lamp');
INSERT INTO tq_job (queue, kind, payload)
VALUES ('billing', 'charge', json_object('order', last_insert_rowid()));
-- [/quote]

UPDATE stock SET pieces = pieces - 1 WHERE item = 'lamp';  -- may fail, and then all of it is undone

-- [quote]
-- What else it may have. Times are microseconds since 1970, by the database's clock.
INSERT INTO tq_job (queue, kind, payload, priority, run_at, unique_key, group_key, max_attempts)
VALUES ('mail', 'reminder', '{"customer": 7}',
        5,                                        -- 10 first, -10 last
        unixepoch('now', '+1 second') * 1000000,  -- not before
        'reminder 7',                             -- one ready or running job has this key
        'customer 7',                             -- jobs of a group run one at a time, in order
        10)                                       -- claims at most
ON CONFLICT DO NOTHING;  -- the key is held: no second job, and no error
-- [/quote]

COMMIT;  -- now workers see the jobs
