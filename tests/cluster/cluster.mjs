/**
 * A cluster on one machine: etcd, two PostgreSQL members that Patroni manages (synchronous), HAProxy, PgBouncer in session mode, and two nodes of
 * Cloch. One node reaches the primary through PgBouncer and HAProxy. The other node itself chooses one of the two members.
 */
import { spawn } from 'node:child_process'
import { chownSync, copyFileSync, createWriteStream, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { unprivileged } from '../support/account.mjs'
import { healthy, makeProject, sleep, start } from '../support/program.mjs'
import { etcd, haproxy, patroni, sessionPooler } from './settings.mjs'

const base = Number(process.env.CLOCH_CLUSTER_PORT ?? 25_000)
/** The ports. Patroni's REST API and PostgreSQL of one member have adjacent ports. */
export const ports = {
  etcd: base + 1, etcdPeer: base + 2, members: [base + 11, base + 21], primary: base + 30, pooler: base + 31, front: base + 40, nodes: [base + 51, base + 52],
}
const bin = process.env.CLOCH_POSTGRES_BIN ?? readdirSync('/usr/lib/postgresql').map((version) => `/usr/lib/postgresql/${version}/bin`).find(existsSync)
// A folder with packages that were unpacked, not installed.
const tools = process.env.CLOCH_CLUSTER_TOOLS ?? ''
export const environment = {
  ...process.env,
  PATH: [`${tools}/usr/bin`, `${tools}/usr/sbin`, bin, process.env.PATH].join(':'),
  ...(tools && { LD_LIBRARY_PATH: `${tools}/usr/lib/x86_64-linux-gnu`, PYTHONPATH: `${tools}/usr/lib/python3/dist-packages` }),
}

/**
 * Starts the cluster. If a part fails to start, stops the parts that were already started.
 * @param {{ check?: string, retries?: number, server?: string }} options `check`: the path of HAProxy's health check of the nodes; `retries`: how
 * often HAProxy tries another node if a node refuses a connection; `server`: the section `[server]` of the nodes' cloch.toml.
 */
export async function startCluster(options = {}) {
  const undo = []
  try {
    return await startAll(undo, options)
  } catch (error) {
    for (const stop of undo) await stop()
    throw error
  }
}

async function startAll(undo, { check = '/health/live', retries = 2, server = '' }) {
  const folder = mkdtempSync(join(tmpdir(), 'cloch-cluster-'))
  const own = (path) => (unprivileged.uid === undefined ? undefined : chownSync(path, unprivileged.uid, unprivileged.gid))
  own(folder)
  const children = new Map()
  /** Starts a program under a name. Writes its output into a file with that name. */
  const run = (name, program, ...given) => {
    const log = createWriteStream(join(folder, `${name}.log`), { flags: 'a' })
    const child = spawn(program, given, { env: environment, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], ...unprivileged })
    child.stdout.pipe(log)
    child.stderr.pipe(log)
    children.set(name, child)
    return child
  }
  const write = (name, text) => {
    writeFileSync(join(folder, name), text, { mode: 0o644 })
    return join(folder, name)
  }
  const member = (index) => ({ name: `member${index + 1}`, api: ports.members[index], port: ports.members[index] + 1, folder: join(folder, `member${index + 1}`) })
  const members = [member(0), member(1)]

  const nodes = []
  const stop = async () => {
    for (const node of nodes) await node?.remove()
    for (const child of [...children.values()].reverse()) {
      child.kill('SIGCONT')
      child.kill('SIGTERM')
      await Promise.race([new Promise((done) => (child.exitCode ?? child.signalCode) !== null ? done() : child.once('exit', done)), sleep(10_000)])
      child.kill('SIGKILL')
    }
    rmSync(folder, { recursive: true, force: true })
  }
  undo.push(stop)

  run('etcd', 'etcd', ...etcd(join(folder, 'etcd'), ports))
  for (const one of members) write(`${one.name}.yml`, patroni(one, ports, bin, folder))
  const startMember = (one) => run(one.name, 'python3', `${tools}/usr/bin/patroni`, join(folder, `${one.name}.yml`))
  members.forEach(startMember)
  run('haproxy', 'haproxy', '-db', '-f', write('haproxy.cfg', haproxy(members, ports, { check, retries })))
  run('pgbouncer', 'pgbouncer', '-q', write('pgbouncer.ini', sessionPooler(ports, write('users.txt', '"supabase_admin" ""\n'), folder)))

  const stateOf = async (one) => {
    try {
      const response = await fetch(`http://127.0.0.1:${one.api}/patroni`, { signal: AbortSignal.timeout(1000) })
      return await response.json()
    } catch {
      return {}
    }
  }
  const membersOf = async (one) => {
    try {
      const response = await fetch(`http://127.0.0.1:${one.api}/cluster`, { signal: AbortSignal.timeout(1000) })
      return (await response.json()).members
    } catch {
      return []
    }
  }
  /** Returns the primary and a standby that could take over at once, or `undefined` if one of them is missing. */
  const pair = async () => {
    const states = await Promise.all(members.map(stateOf))
    const at = states.findIndex(({ role, state }) => state === 'running' && (role === 'master' || role === 'primary'))
    const other = states[1 - at]
    if (at < 0 || other?.state !== 'running') return undefined
    // Patroni promotes only a member that it has recorded as synchronous. Any other member may lack acknowledged data.
    const noted = (await membersOf(members[at])).some(({ name, role }) => name === members[1 - at].name && role === 'sync_standby')
    return noted ? { primary: members[at], standby: members[1 - at] } : undefined
  }
  const whole = async (seconds = 120) => {
    for (let waited = 0; waited < seconds * 2; waited += 1) {
      const found = await pair()
      if (found) return found
      await sleep(500)
    }
    throw new Error(`the members are not a pair after ${seconds} s: ${folder}`)
  }
  await whole()

  const urls = [
    `postgres://supabase_admin@127.0.0.1:${ports.pooler}/postgres?sslmode=disable`,
    `postgres://supabase_admin@${members.map(({ port }) => `127.0.0.1:${port}`).join(',')}/postgres?sslmode=disable&target_session_attrs=read-write`,
  ]
  const startNode = async (index) => {
    nodes[index] = { ...(await start(nodes[index] ?? places[index], { environment: { CLOCH_DB_URL: urls[index] } })) }
  }
  const places = await Promise.all(ports.nodes.map((port) => makeProject({
    from: null,
    change: (config) => config.replace(/(\[api\]\s*port = )\d+/, `$1${port}`),
    files: {
      'cloch.toml': `[server]\n${server}\n[storage]\nfolder = "${join(folder, 'objects')}"\n`,
      'migrations/1_written.sql': `create table public.written (id text primary key, value int not null);
        grant all on public.written to service_role`,
    },
  })))
  places.forEach((place, index) => Object.assign(place, { port: ports.nodes[index], url: `http://127.0.0.1:${ports.nodes[index]}` }))
  await startNode(0)
  mkdirSync(places[1].data, { recursive: true })
  copyFileSync(join(places[0].data, 'secrets.toml'), join(places[1].data, 'secrets.toml'))
  await startNode(1)
  const url = `http://127.0.0.1:${ports.front}`
  while (!(await healthy(url))) await sleep(200)
  return { folder, url, nodes, members, whole, pair, startMember, startNode, children, stop }
}

/** Returns the postmaster of a member and all processes of this postmaster. */
export function processesOf(one) {
  const postmaster = Number(readFileSync(join(one.folder, 'postmaster.pid'), 'utf8').split('\n')[0])
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ').filter(Boolean)
  return [postmaster, ...children.map(Number)]
}

/** Sends a signal to processes, some of which may already have ended. */
export function signal(processes, name) {
  for (const process_ of processes) {
    try {
      process.kill(process_, name)
    } catch {
      // It has ended.
    }
  }
}
