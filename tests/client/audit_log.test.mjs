/**
 * Each entry of the audit is also a line of the log, when it is written and when it is completed. With `CLOCH_DB_URL`, the project's SQL has the rights
 * of the server's own login and can delete entries. The log shows which entries are missing.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { firstOperator, invited, Operator } from '../support/dashboard.mjs'
import { makeProject, start } from '../support/program.mjs'
import { until } from '../support/until.mjs'

const DASHBOARD = { table: 'operator_audit', begin: "audit: an operator's action begins", end: "audit: an operator's action has ended" }
const MANAGEMENT = { table: 'management_audit', begin: 'audit: a request to the Management API begins', end: 'audit: a request to the Management API has ended' }

let database
const programs = {}

before(async () => {
  const places = [await makeProject({ from: null }), await makeProject({ from: null })]
  programs['the embedded database'] = await start(places[0])
  // The second program uses the superuser of the first program's server as its login, and a separate database.
  mkdirSync(places[1].data, { recursive: true })
  const secrets = join(places[0].data, 'secrets.toml')
  copyFileSync(secrets, join(places[1].data, 'secrets.toml'))
  database = new URL(programs['the embedded database'].keys.DB_URL)
  database.username = 'supabase_admin'
  database.password = /^supabase_admin = "(.*)"$/m.exec(readFileSync(secrets, 'utf8'))[1]
  assert.equal(sql('create database other'), '')
  const other = new URL(database.href)
  other.pathname = '/other'
  programs['CLOCH_DB_URL'] = await start(places[1], { environment: { CLOCH_DB_URL: other.href } })
})
after(async () => {
  await programs['CLOCH_DB_URL']?.remove()
  await programs['the embedded database']?.remove()
})

/** Runs SQL as the superuser, in the database of a program. */
function sql(text, kind) {
  const url = new URL(database.href)
  if (kind === 'CLOCH_DB_URL') url.pathname = '/other'
  const { status, stdout, stderr } = spawnSync('psql', [url.href, '-XAtq', '-v', 'ON_ERROR_STOP=1', '-c', text], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : `failed: ${stderr}`
}

/** Returns the log lines about a table of the audit log: `begun` and `ended` are the numbers of entries, together with the text of the log line
 * about each entry. */
function logged(server, { begin, end }) {
  const lines = server.output().split('\n')
  const of = (words) => lines.filter((line) => line.includes(words)).map((line) => [Number(/audit\.id=(\d+)/.exec(line)[1]), line])
  return { begun: of(begin), ended: of(end) }
}

test('an entry is kept for 400 days, and completed once, also in sessions of the login that writes it', () => {
  // The password of this login is derived from that of the superuser. Only the server knows it.
  const login = new URL(database.href)
  login.username = 'cloch_operators'
  login.password = createHash('sha256').update(`${database.password}cloch_operators`).digest('hex')
  const attempt = (text) => {
    const { status, stdout, stderr } = spawnSync('psql', [login.href, '-XAtq', '-v', 'ON_ERROR_STOP=1', '-c', text], { encoding: 'utf8' })
    return status === 0 ? stdout.trim() : `failed: ${stderr}`
  }
  for (const [table, at, given] of [['operator_audit', 'at', "(action) values ('made in a test')"], ['management_audit', 'begun_at', "(user_agent, method, path) values ('test', 'GET', '/made-in-a-test')"]]) {
    const id = attempt(`insert into cloch.${table} ${given} returning id`)
    assert.match(id, /^\d+$/)
    const that = `where id = ${id}`
    assert.equal(attempt(`update cloch.${table} set status = 200 ${that}`), '', 'the entry is completed')
    for (const attack of [`set status = 201`, `set status = null`, `set ${at} = now() - interval '401 days'`]) {
      assert.match(attempt(`update cloch.${table} ${attack} ${that}`), /^failed: .*entries of the audit are not changed|permission denied/s, `${table} ${attack}`)
    }
    assert.match(attempt(`delete from cloch.${table} ${that}`), /^failed: .*entries of the audit are kept for 400 days/s)
    assert.match(attempt(`truncate cloch.${table}`), /^failed: /)
    for (const [days, isKept] of [[399, true], [401, false]]) {
      const aged = `begin; alter table cloch.${table} disable trigger user; update cloch.${table} set ${at} = now() - interval '${days} days' ${that}; alter table cloch.${table} enable trigger user; commit`
      assert.equal(sql(aged), '')
      assert.match(attempt(`delete from cloch.${table} ${that}`), isKept ? /kept for 400 days/ : /^$/)
    }
    assert.equal(sql(`select count(*) from cloch.${table} ${that}`), '0')
  }
})

for (const kind of ['the embedded database', 'CLOCH_DB_URL']) {
  describe(`with ${kind}`, () => {
    let server
    let owner
    let developer
    const rows = ({ table }, what) => sql(`select id || ' ' || ${what} || ' ' || coalesce(status::text, '') from cloch.${table} order by id`, kind).split('\n').filter(Boolean).map((line) => line.split(' '))
    const management = (query) =>
      fetch(`${server.url}/v1/projects/${server.keys.PROJECT_REF}/database/query`, {
        method: 'POST', body: JSON.stringify({ query }), headers: { authorization: `Bearer ${server.keys.SUPABASE_ACCESS_TOKEN}`, 'content-type': 'application/json' },
      })

    before(async () => {
      server = programs[kind]
      owner = await firstOperator(server)
      developer = await invited(owner, 'developer')
    })

    test('each action of an operator is in the log, with number, action, operator and status', async () => {
      await developer.must('POST', '/sql/run', { sql: 'create table public.made (id int)' })
      const failed = await developer.send('POST', '/sql/run', { sql: 'select 1 from nowhere_at_all' })
      assert.ok(failed.status < 500, failed.text)
      await developer.must('POST', '/operators', { email: 'x@club.example', role: 'viewer' }, 403)
      assert.equal((await new Operator(server.url).send('POST', '/session', { email: 'owner@club.example', password: 'a wrong password' })).status, 401)
      await until(() => logged(server, DASHBOARD).begun.length === logged(server, DASHBOARD).ended.length, 'an action has not ended in the log')
      const { begun, ended } = logged(server, DASHBOARD)
      const entries = rows(DASHBOARD, 'action')
      assert.ok(entries.length >= 6, `${entries}`)
      assert.deepEqual(begun.map(([id]) => id).sort((a, b) => a - b), entries.map(([id]) => Number(id)))
      for (const [id, action, status] of entries) {
        const [beginning, ...more] = begun.filter(([number]) => number === Number(id))
        const [end, ...others] = ended.filter(([number]) => number === Number(id))
        assert.deepEqual([more, others], [[], []], 'one line each')
        assert.ok(beginning[1].includes(`audit.action="${action}"`), beginning[1])
        assert.match(end[1], new RegExp(`audit\\.status=${status}\\b`))
      }
      const operators = new Set(begun.map(([, line]) => /audit\.operator=(\S+)/.exec(line)?.[1]))
      const id = sql("select id from cloch.operators where email = 'developer@club.example'", kind)
      assert.ok(operators.has(id), `${[...operators]} without ${id}`)
      assert.ok(!server.output().includes('nowhere_at_all'), 'no statement is in the log')
    })

    test('each change over the Management API and MCP is in the log, with number, method, path and status', async () => {
      assert.equal((await management('select 1')).status, 201)
      assert.equal((await management('select 1 from nowhere_at_all')).status, 400)
      await until(() => logged(server, MANAGEMENT).ended.length >= 2, 'a request has not ended in the log')
      const { begun, ended } = logged(server, MANAGEMENT)
      const entries = rows(MANAGEMENT, "method || ' ' || path")
      assert.equal(entries.length, 2)
      assert.deepEqual(begun.map(([id]) => id), entries.map(([id]) => Number(id)))
      for (const [id, method, path, status] of entries) {
        assert.ok(begun.some(([number, line]) => number === Number(id) && line.includes(`audit.method="${method}"`) && line.includes(`audit.path="${path}"`)), path)
        assert.ok(ended.some(([number, line]) => number === Number(id) && new RegExp(`audit\\.status=${status}\\b`).test(line)))
      }
    })

    test('an entry whose row is deleted is still in the log', async () => {
      // With CLOCH_DB_URL, this session has the same login role as the server's own sessions.
      const attack = "reset role; delete from cloch.operator_audit where id = (select max(id) from cloch.operator_audit where action = 'sql.run')"
      const last = Number(sql("select max(id) from cloch.operator_audit where action = 'sql.run'", kind))
      const refused = await management(attack)
      assert.equal(refused.status, 400, 'the trigger refuses it')
      assert.match(await refused.text(), kind === 'CLOCH_DB_URL' ? /kept for 400 days|written by the server alone/ : /permission denied|kept for 400 days|written by the server alone/)
      const without = await management(`reset role; alter table cloch.operator_audit disable trigger all; ${attack}; alter table cloch.operator_audit enable trigger all`)
      if (kind !== 'CLOCH_DB_URL') {
        assert.equal(without.status, 400)
        assert.match(await without.text(), /must be owner|permission denied/)
        return
      }
      // As described in security.md, that login owns the tables and can disable the triggers.
      assert.equal(without.status, 201, await without.text())
      const present = rows(DASHBOARD, 'action').map(([id]) => Number(id))
      const { begun, ended } = logged(server, DASHBOARD)
      assert.deepEqual(begun.map(([id]) => id).filter((id) => !present.includes(id)), [last])
      assert.ok(ended.some(([id]) => id === last))
    })

    test('an action is not executed if its audit entry cannot be written', { skip: kind !== 'CLOCH_DB_URL' && 'only a superuser can make the trigger there' }, async () => {
      const swallow = "create function public.swallow() returns trigger language plpgsql as 'begin return null; end'; create trigger a_swallow before insert on cloch.operator_audit for each row execute function public.swallow()"
      assert.equal(sql(swallow, kind), '')
      try {
        const answer = await developer.send('POST', '/sql/run', { sql: 'create table public.unseen (id int)' })
        assert.ok(answer.status >= 500, answer.text)
        assert.equal(sql("select to_regclass('public.unseen') is null", kind), 't')
      } finally {
        assert.equal(sql('drop trigger a_swallow on cloch.operator_audit', kind), '')
      }
    })
  })
}
