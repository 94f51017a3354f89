// Compares the table REST of the whole program with PostgREST 12.0.2 on one database. Both are measured alternately; prints the ratios of the
// medians. Also measures the upper bound: the rate of PostgreSQL itself if pgbench sends the same SQL (settings and statement in one round trip).
// Usage: node bench/rest.mjs [--rounds 5] [--seconds 2] [--connections 1,32,256] [--only read,insert] [--pool 12]
//   [--before PROGRAM]   another build of Cloch on a separate database, measured in place of PostgREST; the goal is then 1
//   [--traces SHARE]     the program sends traces of this share of requests (0 to 1) to a collector that discards them. Without `--before`,
//     they are compared with requests to the same process whose client requests no trace. The same process is used, because two processes of
//     one program differ by up to 7 %

import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { startDatabase } from '../tests/differential/database.mjs'
import { startPostgrest, token } from '../tests/differential/servers.mjs'
import { startProgram } from './program.mjs'
import { record } from './record.mjs'

const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? fallback : process.argv[at + 1]
}
const rounds = Number(option('rounds', 5))
const seconds = option('seconds', '2')
const connections = option('connections', '1,32,256').split(',').map(Number)
const before = option('before')
const traces = option('traces')
const only = option('only', '')?.split(',').filter(Boolean)
const target = process.env.CARGO_TARGET_DIR ?? join(import.meta.dirname, '../target')
const load = process.env.CLOCH_LOAD_BIN ?? join(target, 'release/examples/load')

const admin = `authorization: Bearer ${token({ role: 'authenticated', sub: 'admin', app_role: 'admin', exp: 4102444800 })}`
const visitor = `authorization: Bearer ${token({ role: 'anon', exp: 4102444800 })}`
const json = 'content-type: application/json'
const rows = JSON.stringify(Array.from({ length: 1000 }, (_, i) => ({ label: `bulk ${i}`, amount: i })))
const columns = 'id,title,score,state,created_at'
const shapes = [
  { name: 'one row by key', goal: 5.5, request: ['GET', '/judged?id=eq.500', [admin]], sql: 'select * from judged where id = 500 limit 1000' },
  { name: 'one row, as a visitor', goal: 5.5, request: ['GET', '/schools?id=eq.5', [visitor]], sql: 'select * from schools where id = 5 limit 1000' },
  { name: 'list of 100', goal: 5.5, request: ['GET', `/judged?select=${columns}&order=id&limit=100`, [admin]], sql: `select ${columns} from judged order by id limit 100` },
  {
    name: 'list with embed, RLS',
    goal: 2.5,
    request: ['GET', '/judged?select=id,title,score,school:schools(id,name),marks(points,judge)&order=id&limit=50', [admin]],
    sql: `select j.id, title, score, to_jsonb(s.*) as school, coalesce(m.marks, '[]') as marks from judged j
      left join lateral (select id, name from schools where id = j.school_id) s on true
      left join lateral (select jsonb_agg(one) as marks from (select points, judge from marks where entry_id = j.id limit 1000) one) m on true order by j.id limit 50`,
  },
  { name: 'list with star embeds, RLS', goal: 2.5, request: ['GET', '/judged?select=*,school:schools(*),marks(*)&order=id&limit=50', [admin]] },
  { name: 'insert', goal: 3.4, status: 201, request: ['POST', '/journal', [admin, json], '{"label":"x","amount":5}'], sql: "insert into journal (label, amount) values ('x', 5)" },
  // The rows count towards the default limit rows_per_hour. The counts are reset after each measurement, because one measurement inserts more rows
  // than the limit allows in an hour.
  { name: 'insert, as a visitor from one address', goal: 3.4, status: 201, request: ['POST', '/journal', [visitor, json], '{"label":"x","amount":5}'] },
  { name: 'bulk insert of 1,000', goal: 1, status: 201, request: ['POST', '/journal', [admin, json], rows], connections: [1, 8] },
  { name: 'rpc', goal: 4, request: ['POST', '/rpc/add_up', [admin, json], '{"a":1,"b":2}'], sql: 'select add_up(a := 1, b := 2)' },
  { name: 'exact count', goal: 3.9, status: 206, request: ['GET', '/schools?select=id&limit=1', [admin, 'prefer: count=exact']], sql: 'select id from schools limit 1;\nselect count(*) from (select 1 from schools) counted' },
  { name: 'count alone', goal: 4, status: 206, request: ['HEAD', '/schools?select=id&limit=1', [admin, 'prefer: count=exact']] },
  { name: 'an error answer', goal: 5, status: 404, request: ['GET', '/judgedd?id=eq.1', [admin]] },
  { name: 'an error of the database', goal: 1, status: 400, request: ['GET', '/judged?id=eq.x', [admin]] },
]

// This command runs asynchronously, because this process must read the program's log at the same time.
const run = async (...command) => (await promisify(execFile)(...command)).stdout
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]
/** Returns the processor time that a process has used, in seconds. */
const processorTime = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}
const memory = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024

/** Writes the request of a shape to a file, byte for byte as it is sent to a server. Returns the path of the file. */
function write(folder, name, server, shape) {
  const [method, path, headers, body = ''] = shape.request
  const file = join(folder, `request-${name}`)
  const length = body ? [`content-length: ${Buffer.byteLength(body)}`] : []
  const all = ['host: bench', ...headers, ...(server.headers ?? []), ...length]
  writeFileSync(file, [`${method} ${server.path ?? ''}${path} HTTP/1.1`, ...all, '', body].join('\r\n'))
  return file
}

const LOAD_WARM_UP_SECONDS = 0.3

async function measure(server, count, file, status) {
  const begun = processorTime(server.pid)
  const seen = JSON.parse(await run(load, [String(server.port), String(count), seconds, file, String(status)]))
  // The load generator counts only responses that arrive after a warm-up.
  const requests = seen.per_second * (Number(seconds) + LOAD_WARM_UP_SECONDS)
  return { ...seen, processor_us: ((processorTime(server.pid) - begun) / requests) * 1e6 }
}

/** Returns the transactions per second of pgbench with the SQL of a shape. PostgreSQL's connections limit the number of clients. */
async function ceiling(database, sql, count) {
  const file = join(database.folder, 'ceiling.sql')
  const claims = JSON.stringify({ role: 'authenticated', sub: 'admin', app_role: 'admin' })
  const settings = [['search_path', '"public"'], ['role', 'authenticated'], ['request.jwt.claims', claims], ['request.method', 'GET'], ['request.path', '/judged'], ['request.headers', '{}'], ['request.cookies', '{}']]
  const list = settings.map(([name, value]) => `set_config('${name}', '${value}', true)`).join(', ')
  writeFileSync(file, `\\startpipeline\nselect ${list};\n${sql.replaceAll('\n      ', ' ')};\n\\endpipeline\n`)
  const clients = Math.min(count, 32)
  const args = ['-h', database.folder, '-p', String(database.port), '-U', 'authenticator', '-n', '-M', 'prepared', '-c', String(clients), '-j', '1', '-T', String(Math.max(1, Math.round(Number(seconds)))), '-f', file, 'harbour']
  const out = await run(join(database.bin, 'pgbench'), args)
  // If an interval contains no transaction, pgbench prints no rate.
  return Number(/tps = ([\d.]+)/.exec(out)?.[1] ?? 0)
}

const peerName = before ? 'before' : traces ? 'untraced' : 'postgrest'
const newDatabase = () => startDatabase({ schemas: ['../../bench/schema.sql'] })

/** Starts another build of Cloch on a separate database, because this build would refuse a database that a newer build has migrated. */
async function startBefore(program) {
  const own = await newDatabase()
  const running = await startProgram(own, { program })
  const stop = () => running.stop().then(own.stop)
  return { ...running, stop, database: own, afterInserts: () => own.psql('truncate journal') }
}

/** A W3C trace context with a trace that is not sampled. */
const UNTRACED = 'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00'

function startPeer(database, cloch) {
  if (before) return startBefore(before)
  if (traces) return { ...cloch, headers: [UNTRACED], stop: () => undefined }
  const url = `postgres://authenticator@localhost:${database.port}/harbour?host=${database.folder}`
  return startPostgrest({ ...database, url }, { schemas: 'public', searchPath: 'public', ready: [{ method: 'GET', path: '/schools' }], pool: Number(option('pool', 12)) })
}

/** Starts a collector that discards what it receives. `url` is its URL. */
async function startCollector() {
  const server = createServer((asked, answer) => asked.resume().on('end', () => answer.end()))
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() }
}

const database = await newDatabase()
const collector = traces ? await startCollector() : undefined
try {
  const cloch = await startProgram(database, { settings: collector && `[telemetry]\notlp_endpoint = "${collector.url}"\nsample = ${Number(traces).toFixed(3)}\n` })
  const peer = await startPeer(database, cloch)
  const servers = { peer, cloch }
  try {
    console.log(`idle memory: ${peerName} ${memory(peer.pid).toFixed(0)} MB, cloch ${memory(servers.cloch.pid).toFixed(0)} MB`)
    for (const shape of shapes.filter((one) => !only.length || only.some((word) => one.name.includes(word)))) {
      const files = Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, write(database.folder, name, server, shape)]))
      const status = shape.status ?? 200
      for (const count of shape.connections ?? connections) {
        const seen = { peer: [], cloch: [] }
        for (let round = 0; round < rounds; round++)
          for (const name of round % 2 ? ['cloch', 'peer'] : ['peer', 'cloch']) {
            for (const each of [database, peer.database]) each?.psql('delete from cloch.rate_limits')
            seen[name].push(await measure(servers[name], count, files[name], status))
          }
        const of = (name, key) => median(seen[name].map((one) => one[key]))
        const ceilings = []
        for (let round = 0; shape.sql && !before && !traces && round < 3; round++) ceilings.push(await ceiling(database, shape.sql, count))
        const most = median(ceilings) ?? 0
        const failures = [...seen.peer, ...seen.cloch].reduce((sum, one) => sum + one.failures, 0)
        const ratio = of('cloch', 'per_second') / of('peer', 'per_second')
        const latency = of('cloch', 'median_us') / of('peer', 'median_us')
        const result = (name) => ({ value: of(name, 'per_second'), ms: { p50: of(name, 'median_us') / 1000, p99: of(name, 'p99_us') / 1000 } })
        record({ group: 'Table REST', name: shape.name, connections: count, unit: 'requests/s', ...result('cloch'), peer: { name: before ? 'before' : 'PostgREST', ...result('peer') } })
        if (count === 32) {
          const work = (name) => of(name, 'processor_us')
          record({ group: 'Processor time of the table REST, without PostgreSQL', name: shape.name, unit: 'µs a request', less: true, value: work('cloch'), peer: { name: before ? 'before' : 'PostgREST', value: work('peer') } })
        }
        if (shape.name.includes('insert')) {
          database.psql('truncate journal')
          peer.afterInserts?.()
        }
        console.log(
          `${shape.name.padEnd(26)} ${String(count).padStart(3)} conn  ${of('peer', 'per_second').toFixed(0).padStart(6)}/s -> ${of('cloch', 'per_second').toFixed(0).padStart(6)}/s  ` +
            `x ${ratio.toFixed(2)} (goal ${before ? 1 : traces ? 0.97 : shape.goal})  latency x ${latency.toFixed(2)} (${of('cloch', 'median_us')} us)  processor ${of('peer', 'processor_us').toFixed(0)} -> ${of('cloch', 'processor_us').toFixed(0)} us a request  ${most ? `${((100 * of('cloch', 'per_second')) / most).toFixed(0)} % of pgbench's ${most.toFixed(0)}/s  ` : ''}memory ${memory(servers.cloch.pid).toFixed(0)} MB${failures ? `  FAILURES ${failures}` : ''}`,
        )
      }
    }
  } finally {
    await Promise.all([peer.stop(), cloch.stop()])
  }
} finally {
  collector?.stop()
  await database.stop()
}
