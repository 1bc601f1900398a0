// plainjob.mjs FILE JOBS: one worker empties a queue, in WAL mode with synchronous=FULL (its default is NORMAL).
// https://github.com/justplainstuff/plainjob
import { rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { better, defineQueue, defineWorker, JobStatus } from 'plainjob'

const [file, count] = process.argv.slice(2)
const jobs = Number(count)
const remove = () => ['', '-wal', '-shm'].forEach((ending) => rmSync(file + ending, { force: true }))
remove()
const quiet = { error: console.error, warn() {}, info() {}, debug() {} }
const database = new Database(file)
const queue = defineQueue({ connection: better(database), logger: quiet })
database.pragma('synchronous = FULL') // after the queue has set it
queue.addMany('noop', Array.from({ length: jobs }, () => ({})))

let done = 0
let allDone
const all = new Promise((resolve) => { allDone = resolve })
const worker = defineWorker('noop', () => {}, {
  queue,
  logger: quiet,
  onCompleted: () => { if (++done === jobs) allDone() },
})
const begun = process.hrtime.bigint()
const running = worker.start()
await all
const seconds = Number(process.hrtime.bigint() - begun) / 1e9
await worker.stop()
await running
const settings = `journal_mode=${database.pragma('journal_mode', { simple: true })} ` +
  `synchronous=${database.pragma('synchronous', { simple: true })}`
const left = queue.countJobs({ status: JobStatus.Pending })
queue.close()
remove()
console.log(JSON.stringify({
  value: jobs / seconds, unit: 'jobs/s', jobs, lost: left, doubled: done - jobs, stale: 0, durability: settings,
}))
