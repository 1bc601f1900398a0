// pg-boss.mjs URL JOBS: four loops, each fetches and completes in batches of 500.
// https://timgit.github.io/pg-boss/
import { PgBoss } from 'pg-boss'
import pg from 'pg'

const [url, count] = process.argv.slice(2)
const jobs = Number(count)
const schema = 'tqb_pgboss'
const queue = 'bench'
const pool = new pg.Pool({ connectionString: url, max: 1 })
await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
const boss = new PgBoss({ connectionString: url, schema, max: 4, supervise: false, schedule: false })
boss.on('error', console.error)
await boss.start()
await boss.createQueue(queue)
for (let done = 0; done < jobs; done += 5000) {
  await boss.insert(queue, Array.from({ length: Math.min(5000, jobs - done) }, () => ({ data: {} })))
}

let fetched = 0
const begun = process.hrtime.bigint()
await Promise.all(Array.from({ length: 4 }, async () => {
  for (;;) {
    const batch = await boss.fetch(queue, { batchSize: 500 })
    if (batch.length === 0) return
    fetched += batch.length
    await boss.complete(queue, batch.map((job) => job.id))
  }
}))
const seconds = Number(process.hrtime.bigint() - begun) / 1e9
const left = await pool.query(`SELECT count(*) AS left FROM ${schema}.job WHERE name = $1 AND state <> 'completed'`, [queue])
await boss.stop({ graceful: false })
await pool.query(`DROP SCHEMA ${schema} CASCADE`)
await pool.end()
console.log(JSON.stringify({
  value: jobs / seconds, unit: 'jobs/s', jobs, lost: Number(left.rows[0].left), doubled: fetched - jobs, stale: 0,
}))
