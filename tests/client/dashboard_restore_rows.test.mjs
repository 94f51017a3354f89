/**
 * Black-box test of restoring rows from a backup: who may do it, the copy of the database, the rows that the copy contains, the SQL that runs,
 * conflicts, and the deletion of a copy.
 */
import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { firstOperator, invited } from '../support/dashboard.mjs'
import { makeProject, sleep, start, startProject } from '../support/program.mjs'

const PATH = '/restore-rows'
const SCHEMA = `
create table public.notes (
  id bigint generated always as identity primary key, slug text unique, body text, loud text generated always as (upper(body)) stored,
  size integer default 1, gone text default 'x', at timestamptz default '2026-01-02 03:04:05.678+02', about jsonb, bytes bytea);
create table public.lines (note_id bigint references public.notes on delete cascade, number int, body text, primary key (note_id, number));
create table public.writes (id bigint generated always as identity primary key, what text);
create table public.keyless (body text);
create view public.shown as select * from public.keyless;
create function public.note_written() returns trigger language plpgsql as $$
begin insert into public.writes (what) values (tg_op || ' ' || new.slug); return new; end $$;
insert into public.notes (slug, body, about, bytes) values ('rope', 'Take the long rope; it''s "new" \\ ', '{"a": [1, null]}', '\\x00ff'), ('tide', 'High at noon', null, null), ('same', 'Same', null, null);
insert into public.lines values (1, 1, 'first'), (1, 2, null);
create trigger written after insert or update on public.notes for each row execute function public.note_written();
`
const environment = { CLOCH_BACKUP_PASSPHRASE: 'a passphrase that is long enough' }

let place, server, owner, developer, moment

const run = async (sql) => {
  const { error } = await owner.must('POST', '/sql/run', { sql, as: { role: 'postgres' }, read_only: false })
  assert.equal(error, null, JSON.stringify(error))
}
const rest = async (path) => {
  const answer = await fetch(`${server.url}/rest/v1${path}`, { headers: { apikey: server.serviceKey, authorization: `Bearer ${server.serviceKey}` } })
  assert.equal(answer.status, 200, await answer.clone().text())
  return answer.json()
}
/** Calls `ask` until the response is as expected. */
const until = async (is, ask) => {
  for (let attempt = 0; attempt < 1200; attempt += 1) {
    const answer = await ask()
    if (is(answer)) return answer
    await sleep(100)
  }
  return assert.fail(`${JSON.stringify(await ask())}\n${server.output()}`)
}
const state = () => owner.must('GET', PATH)
/** Waits until the server has prepared the copy. Returns the copy. */
const prepared = async () => (await until(({ copy }) => copy?.state !== 'preparing', state)).copy
const prepare = async (to) => {
  await owner.must('POST', PATH, { to }, 202)
  return prepared()
}
const find = (table, more = {}, status = 200) => owner.must('POST', `${PATH}/find`, { schema: 'public', table, ...more }, status)
const sqlOf = (table, keys, status = 200) => owner.must('POST', `${PATH}/sql`, { schema: 'public', table, keys }, status)
const apply = (table, keys, digest, status = 200) => owner.must('POST', `${PATH}/apply`, { schema: 'public', table, keys, digest }, status)
const left = () => readdirSync(place.data).filter((name) => name.startsWith('read-copy'))

before(async () => {
  place = await makeProject({ from: null, files: { 'migrations/1_notes.sql': SCHEMA } })
  writeFileSync(join(place.project, 'cloch.toml'), `[backup]\nto = "${join(place.folder, 'target')}"\nencrypt_to = "env(CLOCH_BACKUP_PASSPHRASE)"\ndrill = "off"\n`)
  server = await start(place, { environment })
  owner = await firstOperator(server)
  developer = await invited(owner, 'developer')
  await until(({ restorable_from }) => restorable_from, state)
  moment = new Date()
  // Waits until the restorable time is later than the chosen moment, so that the next commit is later too, even in milliseconds.
  await until(({ restorable_until }) => new Date(restorable_until) > moment, state)
  await run(`delete from public.notes where slug = 'rope'; update public.notes set body = 'Low at noon', about = '{}' where slug = 'tide';
             alter table public.notes drop column gone; alter table public.notes alter column size type bigint;
             alter table public.notes add column fresh text default 'now'; delete from public.writes`)
})

after(() => server?.remove())

test('a server without a backup reports this', async () => {
  const plain = await startProject({ from: null })
  try {
    const operator = await firstOperator(plain)
    const { enabled, copy } = await operator.must('GET', PATH)
    assert.deepEqual([enabled, copy], [false, null])
    const { message, hint } = await operator.must('POST', PATH, { to: null }, 409)
    assert.match(`${message}. ${hint}`, /makes no backup.*\[backup\]/)
  } finally {
    await plain.remove()
  }
})

test('only owners restore rows', async () => {
  for (const [method, path, body] of [['GET', ''], ['POST', '', { to: null }], ['DELETE', ''], ['POST', '/find', {}], ['POST', '/sql', {}], ['POST', '/apply', {}]])
    assert.equal((await developer.send(method, PATH + path, body)).status, 403, `${method} ${path}`)
  assert.equal((await owner.send('POST', PATH, { to: null }, { headers: { 'x-cloch-csrf': 'wrong' } })).status, 403)
  assert.equal((await state()).copy, null)
  await find('notes', {}, 409)
})

test('a moment outside of the backup is refused, and leaves nothing behind', async () => {
  const { state: how, message } = await prepare('2020-01-01T00:00:00Z')
  assert.deepEqual([how, left()], ['failed', []])
  assert.match(message, /no backup covers 2020-01-01/)
})

test('one copy is prepared at a time', async () => {
  await owner.must('POST', PATH, { to: moment.toISOString() }, 202)
  assert.match((await owner.must('POST', PATH, { to: null }, 409)).message, /There is a copy already/)
  const copy = await prepared()
  assert.deepEqual([copy.state, new Date(copy.moment), left().length], ['ready', moment, 1], copy.message)
})

test('deleted and changed rows are found, by page and by text', async () => {
  const { columns, left_out, rows, compared, next } = await find('notes')
  assert.deepEqual([columns, left_out], [['id', 'slug', 'body', 'at', 'about', 'bytes'], ['size', 'gone']])
  assert.deepEqual(rows.map(({ key, changed }) => [key, changed]), [[['1'], null], [['2'], ['body', 'about']]])
  assert.deepEqual([rows[1].values[2], compared, next], ['High at noon', 3, null])
  assert.deepEqual((await find('notes', { search: 'LONG ROPE' })).rows.map(({ key }) => key), [['1']])
  assert.deepEqual((await find('notes', { search: "' or true --" })).rows, [])
  assert.deepEqual((await find('notes', { after: ['1'] })).rows.map(({ key }) => key), [['2']])
  await find('notes', { after: ['1', '2'] }, 400)
  // When the note was deleted, the foreign key with `on delete cascade` deleted these rows too.
  assert.deepEqual((await find('lines')).rows.map(({ key, changed }) => [key, changed]), [[['1', '1'], null], [['1', '2'], null]])
})

test('other relations are refused', async () => {
  assert.match((await find('keyless', {}, 409)).message, /has no key/)
  await find('shown', {}, 404)
  await find('nowhere', {}, 404)
  await find('notes"; drop table public.lines; --', {}, 404)
  const refused = await owner.send('POST', `${PATH}/find`, { schema: 'cloch', table: 'operators' })
  assert.equal(refused.status, 404, refused.text)
})

test('nothing is restored if the SQL differs from the SQL that was shown, or if a row conflicts', async () => {
  const keys = [['1'], ['2']]
  const { digest } = await sqlOf('notes', keys)
  await apply('notes', keys, 'other', 409)
  await run(`update public.notes set about = null where id = 2`)
  assert.match((await apply('notes', keys, digest, 409)).message, /have changed since/)
  await run(`insert into public.notes (slug, body) values ('rope', 'Another rope')`)
  const { digest: now } = await sqlOf('notes', keys)
  const { code, message, hint } = await apply('notes', keys, now, 400)
  assert.deepEqual([code, /notes_slug_key/.test(message)], ['database', true], message)
  assert.match(hint, /Key \(slug\)=\(rope\) already exists\. No row was restored/)
  assert.equal((await rest('/notes?id=eq.2'))[0].body, 'Low at noon')
  const { digest: lines } = await sqlOf('lines', [['1', '1']])
  assert.match((await apply('lines', [['1', '1']], lines, 400)).hint, /not present in table "notes"/)
  await run(`delete from public.notes where slug = 'rope'; update public.notes set about = '{}' where id = 2; delete from public.writes`)
})

test('selected rows are restored in one transaction, and their triggers run', async () => {
  const keys = [['1'], ['2']]
  const { sql, digest, inserted, updated } = await sqlOf('notes', keys)
  assert.deepEqual([inserted, updated], [1, 1])
  assert.match(sql, /^insert into "public"\."notes" \("id", "slug", "body", "at", "about", "bytes"\) overriding system value\nvalues\n {2}\('1', 'rope', E'Take the long rope; it''s "new" \\\\ ', '2026-01-02 01:04:05\.678\+00', /)
  assert.match(sql, /update "public"\."notes"\n {3}set "body" = 'High at noon',\n {7}"about" = null\n where "id" = '2';$/)
  assert.deepEqual(await apply('notes', keys, digest), { inserted: 1, updated: 1 })
  const [first, second] = await rest('/notes?order=id&select=id,slug,body,loud,at,about,bytes,fresh')
  assert.deepEqual(first, {
    id: 1, slug: 'rope', body: 'Take the long rope; it\'s "new" \\ ', loud: 'TAKE THE LONG ROPE; IT\'S "NEW" \\ ', at: '2026-01-02T01:04:05.678+00:00',
    about: { a: [1, null] }, bytes: '\\x00ff', fresh: 'now',
  })
  assert.deepEqual([second.body, second.about, second.loud], ['High at noon', null, 'HIGH AT NOON'])
  assert.deepEqual((await rest('/writes?order=id')).map(({ what }) => what), ['INSERT rope', 'UPDATE tide'])
  assert.deepEqual((await find('notes')).rows, [])
  await sqlOf('notes', keys, 409)
  const lines = [['1', '1'], ['1', '2']]
  assert.deepEqual(await apply('lines', lines, (await sqlOf('lines', lines)).digest), { inserted: 2, updated: 0 })
  assert.deepEqual((await rest('/lines?order=number')).map(({ body }) => body), ['first', null])
  await sqlOf('notes', [['99']], 400)
  await sqlOf('notes', [['1', '2']], 400)
  await sqlOf('notes', [], 400)
})

test('the audit log contains table and counts, and no values', async () => {
  const { entries } = await owner.must('GET', '/audit?action=restore_rows.&limit=200')
  const applied = entries.filter(({ action, status }) => action === 'restore_rows.apply' && status === 200).map(({ details }) => details)
  assert.deepEqual(
    applied.map(({ schema, table, inserted, updated, moment: at }) => [schema, table, inserted, updated, new Date(at) - moment]),
    [['public', 'lines', 2, 0, 0], ['public', 'notes', 1, 1, 0]],
  )
  assert.ok(['restore_rows.prepare', 'restore_rows.find', 'restore_rows.sql'].every((name) => entries.some(({ action }) => action === name)))
  assert.ok(!JSON.stringify(entries).includes('long rope'))
})

test('a copy is removed on request, and at the next start after the server was killed', async () => {
  await owner.must('DELETE', PATH, undefined, 204)
  assert.deepEqual([(await state()).copy, left()], [null, []])
  await find('notes', {}, 409)
  assert.equal((await prepare(null)).state, 'ready')
  assert.equal(left().length, 1)
  await server.kill()
  server = await start(place, { environment })
  await until((names) => names.length === 0, left)
  await server.stop()
  assert.deepEqual(left(), [])
})
