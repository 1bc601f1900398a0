// graphile-worker.mjs URL batched|unbatched JOBS: one process empties a queue of jobs that do nothing.
// batched: its local queue of 500 and completions in batches, 24 handlers; unbatched: its defaults, 4 handlers.
// https://worker.graphile.org/docs/performance
import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import pg from 'pg'

const [url, mode, count] = process.argv.slice(2)
const jobs = Number(count)
const schema = 'tqb_graphile'
const pool = new pg.Pool({ connectionString: url, max: 1 })
pool.on('error', console.error)
const logger = new Logger(() => (level, message) => {
  if (level === 'error') console.error(message)
})

await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
const utils = await makeWorkerUtils({ connectionString: url, schema, logger })
await utils.migrate()
for (let done = 0; done < jobs; done += 5000) {
  const part = Array.from({ length: Math.min(5000, jobs - done) }, () => ({ identifier: 'noop', payload: {} }))
  await utils.addJobs(part)
}
await utils.release()

let started = 0
let allStarted
const all = new Promise((resolve) => { allStarted = resolve })
const preset = {
  worker: {
    connectionString: url,
    maxPoolSize: mode === 'batched' ? 24 : 6,
    schema,
    concurrentJobs: mode === 'batched' ? 24 : 4,
    ...(mode === 'batched' ? { localQueue: { size: 500 }, completeJobBatchDelay: 0 } : {}),
  },
}
const begun = process.hrtime.bigint()
const runner = await run({
  preset,
  logger,
  taskList: { noop: () => { if (++started === jobs) allStarted() } },
})
await all
await runner.stop() // what is done has been written when this returns
const seconds = Number(process.hrtime.bigint() - begun) / 1e9
const left = await pool.query(`SELECT count(*) AS left FROM ${schema}._private_jobs`)
await pool.query(`DROP SCHEMA ${schema} CASCADE`)
await pool.end()
console.log(JSON.stringify({
  value: jobs / seconds, unit: 'jobs/s', jobs, lost: Number(left.rows[0].left), doubled: started - jobs, stale: 0,
}))
