-- A producer in plain SQL, for PostgreSQL: the order and its job commit together or not at all.
--   psql "$TQ_DATABASE_URL" --file examples/enqueue_psql.sql
-- The tables orders and stock are the application's own; `tq init` has made tq_job.
\set ON_ERROR_STOP on
BEGIN;

-- [quote]
-- What a job needs: queue, kind and payload. Everything else has a default.
WITH placed AS (INSERT INTO orders (item) VALUES ('lamp') RETURNING id)
INSERT INTO tq_job (queue, kind, payload)
SELECT 'billing', 'charge', json_build_object('order', id) FROM placed;
-- [/quote]

UPDATE stock SET pieces = pieces - 1 WHERE item = 'lamp';  -- may fail, and then all of it is undone

-- [quote]
-- What else it may have. Times go by the database's clock.
INSERT INTO tq_job (queue, kind, payload, priority, run_at, unique_key, group_key, max_attempts)
VALUES ('mail', 'reminder', '{"customer": 7}',
        5,                                        -- 10 first, -10 last
        clock_timestamp() + INTERVAL '1 second',  -- not before
        'reminder 7',                             -- one ready or running job has this key
        'customer 7',                             -- jobs of a group run one at a time, in order
        10)                                       -- claims at most
ON CONFLICT DO NOTHING;  -- the key is held: no second job, and no error
-- [/quote]

COMMIT;  -- now workers see the jobs
