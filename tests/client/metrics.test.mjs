/**
 * /metrics in the format that Prometheus reads, and the alert rules in docs/alerts.yml. If Prometheus is not installed, the checks by Prometheus are
 * skipped.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { freePort, makeProject, sleep, start } from '../support/program.mjs'

const root = resolve(import.meta.dirname, '../..')
const has = (program) => spawnSync(program, ['--version']).status === 0
const skip = has('promtool') && has('prometheus') ? false : 'Prometheus is not installed'

let cloch
let ownPort
before(async () => {
  ownPort = await freePort()
  const migration = `create table notes (id int primary key generated always as identity, body text);
    alter table notes enable row level security; create policy everybody on notes using (true) with check (true);
    grant all on notes to anon;`
  const place = await makeProject({
    from: null,
    files: { 'migrations/20260101000000_notes.sql': migration, 'cloch.toml': `[metrics]\nlisten = "127.0.0.1:${ownPort}"\n` },
  })
  cloch = await start(place)
})
after(() => cloch?.remove())

const scrape = async (headers = {}, url = cloch.url) => {
  const response = await fetch(`${url}/metrics`, { headers })
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

/** Returns the sum of the samples of a series whose labels contain a text. */
const value = (text, name, labels = '') =>
  text
    .split('\n')
    .filter((line) => line.startsWith(`${name} `) || (line.startsWith(`${name}{`) && line.includes(labels)))
    .map((line) => Number(line.slice(line.lastIndexOf(' '))))
    .reduce((sum, one) => sum + one, 0)

test('a request through a proxy gets no metrics without the secret key, whatever its headers', async () => {
  const proxied = { 'x-forwarded-for': '192.0.2.7' }
  for (const key of [undefined, cloch.anonKey, cloch.keys.PUBLISHABLE_KEY, 'sb_secret_forged']) {
    const refused = await scrape({ ...proxied, ...(key && { authorization: `Bearer ${key}` }) })
    assert.equal(refused.status, 401)
    assert.doesNotMatch(refused.text, /cloch_postgres/)
  }
  for (const key of [cloch.serviceKey, cloch.keys.SECRET_KEY]) {
    assert.equal((await scrape({ ...proxied, authorization: `Bearer ${key}` })).status, 200)
  }
  assert.equal((await scrape()).status, 200, 'this machine')
})

test('the separate listener needs no key and serves nothing else', async () => {
  const own = `http://127.0.0.1:${ownPort}`
  assert.match((await scrape({ 'x-forwarded-for': '192.0.2.7' }, own)).text, /^cloch_postgres_up 1$/m)
  assert.equal((await fetch(`${own}/rest/v1/notes`)).status, 404)
  assert.equal((await fetch(`${own}/metrics`, { method: 'POST' })).status, 405)
})

test('requests of clients are counted', async () => {
  const before_ = (await scrape()).text
  const client = createClient(cloch.url, cloch.anonKey, { auth: { persistSession: false } })
  for (let round = 0; round < 3; round += 1) assert.equal((await client.from('notes').select()).error, null)
  assert.notEqual((await client.from('nothing').select()).error, null)
  const email = `metrics-${Date.now()}@example.org`
  assert.equal((await client.auth.signUp({ email, password: 'a long password' })).error, null)
  const wrong = await client.auth.signInWithPassword({ email, password: 'another one' })
  assert.notEqual(wrong.error, null)
  const admin = createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } })
  assert.equal((await admin.storage.createBucket('files')).error, null)
  assert.equal((await admin.storage.from('files').upload('a.txt', 'hello')).error, null)

  const { text, type } = await scrape()
  assert.match(type, /^application\/openmetrics-text/)
  const more = (name, labels) => value(text, name, labels) - value(before_, name, labels)
  const requests = 'http_request_duration_seconds_count'
  assert.equal(more(requests, 'api="/rest/v1",method="GET",status="2xx"'), 3)
  assert.equal(more(requests, 'api="/rest/v1",method="GET",status="4xx"'), 1)
  assert.equal(more('gotrue_generate_from_password_completed_total'), 1)
  assert.ok(more('gotrue_compare_hash_and_password_completed_total') >= 1)
  assert.equal(more('upload_success_total'), 1)
  assert.equal(more('cloch_uploaded_bytes_total'), 5)
  assert.ok(more('pgrst_jwt_cache_hits_total') > 0)
  assert.ok(value(text, 'pgrst_schema_cache_loads_total', 'SUCCESS') >= 1)
  assert.equal(value(text, 'pgrst_db_pool_available'), value(text, 'pgrst_db_pool_max'))
  assert.equal(value(text, 'cloch_http_requests_in_flight'), 1, 'the scrape itself')
  assert.ok(value(text, 'cloch_postgres_size_bytes') > 1e6)
})

test('every metric name in the dashboard and in the rules exists', async () => {
  const known = new Set([...(await scrape()).text.matchAll(/^(?:# TYPE )?([a-z_]+)/gm)].map((found) => found[1]))
  // Series that do not exist without backup, replica or HTTPS, and series that do not exist before their first event.
  const later = /^cloch_(backup|function|replica|tls)_|^cloch_cron_runs|^cloch_sessions_issued/
  const used = `${readFileSync(join(root, 'docs/grafana.json'))}${readFileSync(join(root, 'docs/alerts.yml'))}`
  const names = new Set([...used.matchAll(/\b((?:cloch|pgrst|gotrue|http|global|process|upload)_[a-z_]+)\b/g)].map((found) => found[1]))
  assert.ok(names.size > 25)
  for (const name of names) assert.ok(known.has(name) || known.has(name.replace(/_(total|count|bucket)$/, '')) || later.test(name), name)
})

test('each alert rule fires in its case, and none fires for a healthy server', { skip }, () => {
  execFileSync('promtool', ['check', 'rules', join(root, 'docs/alerts.yml')])
  const rules = [...readFileSync(join(root, 'docs/alerts.yml'), 'utf8').matchAll(/alert: (\w+)/g)].map((found) => found[1])
  const tested = readFileSync(join(root, 'tests/support/alerts.test.yml'), 'utf8')
  for (const rule of rules) assert.match(tested, new RegExp(`"${rule}"`), rule)
  execFileSync('promtool', ['test', 'rules', join(root, 'tests/support/alerts.test.yml')])
})

test('Prometheus scrapes the metrics, and an alert fires when the server is gone', { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cloch-prometheus-'))
  const port = await freePort()
  const file = join(folder, 'prometheus.yml')
  const rules = join(folder, 'rules.yml')
  // The same rules without their waiting times (`for`).
  writeFileSync(rules, readFileSync(join(root, 'docs/alerts.yml'), 'utf8').replaceAll(/^ +for: .*\n/gm, ''))
  writeFileSync(
    file,
    `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [${rules}]
scrape_configs:
  - job_name: cloch
    authorization: { credentials: ${cloch.keys.SECRET_KEY} }
    static_configs: [{ targets: ['127.0.0.1:${cloch.port}'] }]
`,
  )
  const child = spawn('prometheus', [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'data')}`, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' })
  const ask = async (query) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`).catch(() => undefined)
    return answer?.ok ? (await answer.json()).data.result : []
  }
  const until = async (query) => {
    for (let attempt = 0; attempt < 300; attempt += 1) {
      const found = await ask(query)
      if (found.length > 0) return found
      await sleep(200)
    }
    return assert.fail(query)
  }
  try {
    await until('cloch_postgres_up == 1')
    await until('http_request_duration_seconds_count{api="/rest/v1"} > 0')
    await until('sum(cloch_postgres_connections) > 0')
    assert.equal((await ask('ALERTS{alertname=~"ClochDown|ClochDatabaseDown"}')).length, 0)
    await cloch.stop()
    const [alert] = await until('ALERTS{alertname="ClochDown", alertstate="firing"}')
    assert.equal(alert.metric.severity, 'page')
  } finally {
    child.kill()
    await new Promise((done) => child.once('exit', done))
    rmSync(folder, { recursive: true, force: true })
  }
})
