/**
 * Directus, unmodified. Its tables are in a separate schema and it connects with DB_URL. Its driver for Supabase Storage keeps its files in a bucket.
 * npm installs Directus for this run.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'

import { Upload } from 'tus-js-client'

import { checkTable } from '../clients/document.mjs'
import { query } from '../support/database.mjs'
import { installPackages } from '../support/npm_packages.mjs'
import { freePort, sleep, startProject } from '../support/program.mjs'

const version = '12.4.0'
const schema = `
create table public.notes (id int primary key, body text not null);
alter table public.notes enable row level security;
insert into public.notes values (1, 'one');
create schema directus;
insert into storage.buckets (id, name) values ('directus', 'directus');
`
const admin = { email: 'admin@example.com', password: 'a long password' }
const results = []
let server, packages, directus
before(async () => {
  // The version of isolated-vm that Directus needs is compiled during the installation.
  packages = installPackages('directus', [`directus@${version}`], { node: 22, overrides: { 'isolated-vm': '6.1.2' } })
  server = await startProject({ from: null, files: { 'migrations/20260102000000_directus.sql': schema } })
  const port = await freePort()
  const environment = {
    ...packages.environment,
    DB_CLIENT: 'pg', DB_CONNECTION_STRING: server.keys.DB_URL, DB_SEARCH_PATH: 'array:directus,public',
    SECRET: randomBytes(32).toString('hex'), ADMIN_EMAIL: admin.email, ADMIN_PASSWORD: admin.password,
    HOST: '127.0.0.1', PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}`, TELEMETRY: 'false', EMAIL_VERIFY_SETUP: 'false',
    STORAGE_LOCATIONS: 'supabase', STORAGE_SUPABASE_DRIVER: 'supabase', STORAGE_SUPABASE_BUCKET: 'directus',
    STORAGE_SUPABASE_ENDPOINT: `${server.url}/storage/v1`, STORAGE_SUPABASE_SERVICE_ROLE: server.serviceKey,
    TUS_ENABLED: 'true', TUS_CHUNK_SIZE: '1mb',
    // Otherwise Directus refuses requests while other suites use the processor.
    PRESSURE_LIMITER_ENABLED: 'false',
  }
  directus = await startDirectus(`http://127.0.0.1:${port}`, environment)
})
after(async () => {
  await directus?.stop()
  await server?.remove()
  packages?.remove()
})

async function startDirectus(url, environment) {
  const [program, options] = [packages.program('directus/cli.js'), { cwd: packages.folder, env: environment }]
  const { status, stdout, stderr } = spawnSync(packages.node, [program, 'bootstrap'], { ...options, encoding: 'utf8', timeout: 300_000 })
  assert.equal(status, 0, stdout + stderr)
  const file = join(packages.folder, 'directus.log')
  const log = openSync(file, 'a')
  const child = spawn(packages.node, [program, 'start'], { ...options, stdio: ['ignore', log, log] })
  closeSync(log)
  const ended = new Promise((done) => child.once('exit', done))
  const stop = async () => {
    if (child.exitCode === null) child.kill('SIGTERM')
    await ended
  }
  try {
    const deadline = performance.now() + 300_000
    while (!(await fetch(`${url}/server/ping`).catch(() => ({ ok: false }))).ok) {
      assert.ok(child.exitCode === null && performance.now() < deadline, readFileSync(file, 'utf8'))
      await sleep(100)
    }
    const { access_token: token } = await request(`${url}/auth/login`, {}, admin)
    return { url, stop, headers: { authorization: `Bearer ${token}` } }
  } catch (error) {
    // A process that still runs would keep the run of the suites from ending.
    await stop()
    throw error
  }
}

/** Sends a request to Directus and returns the data of the response. Without a body, the method is GET. */
async function request(url, headers, body) {
  const isForm = body instanceof FormData
  const options = body && { method: 'POST', body: isForm ? body : JSON.stringify(body) }
  const response = await fetch(url, { headers: body && !isForm ? { ...headers, 'content-type': 'application/json' } : headers, ...options })
  const text = await response.text()
  assert.ok(response.ok, `${url}: ${response.status} ${text}`)
  return JSON.parse(text).data
}
const api = (path, body) => request(`${directus.url}/${path}`, directus.headers, body)
const asset = async (path) => Buffer.from(await (await fetch(`${directus.url}/assets/${path}`, { headers: directus.headers })).arrayBuffer())
const hash = (bytes) => createHash('sha256').update(bytes).digest('hex')

const sql = (statement) => query(server.keys.DB_URL, statement)

/** Returns a grey PNG of the given size. */
function grey(width, height) {
  const chunk = (kind, data) => {
    const [length, body, sum] = [Buffer.alloc(4), Buffer.concat([Buffer.from(kind), data]), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width)
  size.writeUInt32BE(height, 4)
  const rows = Buffer.concat(Array.from({ length: height }, () => Buffer.concat([Buffer.alloc(1), Buffer.alloc(width, 128)])))
  const chunks = [chunk('IHDR', Buffer.concat([size, Buffer.from([8, 0, 0, 0, 0])])), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks])
}

function scenario(does, run) {
  test(does, async () => {
    await run()
    results.push(does)
  })
}

scenario('its tables in a schema of their own, outside of the API', async () => {
  const found = await sql("select schemaname, count(*) > 20 as many from pg_tables where tablename like 'directus\\_%' group by 1")
  assert.deepEqual(found, [{ schemaname: 'directus', many: true }])
  const { status } = await fetch(`${server.url}/rest/v1/directus_users`, { headers: { apikey: server.anonKey } })
  assert.equal(status, 404)
})

scenario('login, collections, items, existing tables', async () => {
  const fields = [
    { field: 'id', type: 'uuid', schema: { is_primary_key: true }, meta: { special: ['uuid'] } },
    { field: 'title', type: 'string', schema: {} },
    { field: 'score', type: 'integer', schema: {} },
  ]
  await api('collections', { collection: 'articles', schema: {}, meta: {}, fields })
  await api('items/articles', [{ title: 'Low', score: 1 }, { title: 'High', score: 3 }])
  const items = await api('items/articles?fields=title,score&filter[score][_gt]=1')
  assert.deepEqual(items, [{ title: 'High', score: 3 }])
  assert.deepEqual(await sql('select title from directus.articles order by score'), [{ title: 'Low' }, { title: 'High' }])
  assert.deepEqual(await api('items/notes'), [{ id: 1, body: 'one' }])
})

scenario('files in a bucket: uploads, pictures in other sizes, deletion', async () => {
  const picture = grey(32, 24)
  const form = new FormData()
  form.append('file', new Blob([picture], { type: 'image/png' }), 'picture.png')
  const { id, width } = await api('files', form)
  assert.equal(width, 32)
  assert.equal(hash(await asset(id)), hash(picture))
  assert.equal((await asset(`${id}?width=8&format=webp`)).toString('latin1', 8, 12), 'WEBP')
  assert.equal((await sql(`select count(*)::int from storage.objects where bucket_id = 'directus' and name like '${id}%'`))[0].count, 2)
  const { status } = await fetch(`${directus.url}/files/${id}`, { method: 'DELETE', headers: directus.headers })
  assert.equal(status, 204)
  assert.deepEqual(await sql('select name from storage.objects'), [])
})

scenario('resumable uploads in parts', async () => {
  const bytes = randomBytes(2_500_000)
  await new Promise((done, failed) => {
    const metadata = { filename_download: 'large.bin', type: 'application/octet-stream' }
    new Upload(bytes, { endpoint: `${directus.url}/files/tus`, headers: directus.headers, chunkSize: 1_048_576, metadata, onSuccess: done, onError: failed }).start()
  })
  const [{ id, filesize }] = await api('files?fields=id,filesize')
  assert.deepEqual([Number(filesize), hash(await asset(id))], [bytes.length, hash(bytes)])
})

test('docs/clients.md shows what ran', () => {
  checkTable('directus', ['package', 'what works'], [[`\`directus\` ${version}`, results.join('; ')]])
})
