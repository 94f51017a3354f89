/**
 * Compares the explanation of `why` with the response to the same REST request, for all combinations of role, table and action in the club. A trigger
 * fails after each statement and reports the number of affected rows. It rolls back every write, so that all requests find the same rows. `why`
 * changes nothing: a digest of all rows, sequences and policies stays the same.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { started } from '../support/why.mjs'

const PASSWORD = 'a quiet harbour 27'
/** The status that the trigger causes if a write succeeded and was rolled back. */
const TAKEN_BACK = 418
const methods = { SELECT: 'GET', INSERT: 'POST', UPDATE: 'PATCH', DELETE: 'DELETE' }

let server
let callers
let tables

before(async () => {
  const settings = readFileSync(resolve(import.meta.dirname, '../../supabase-config/cloch.toml'), 'utf8')
  // Limits are disabled here, because other tests check them.
  const unlimited = settings.replace('[limits.visitors]\n', '[limits.visitors]\nrefusals_per_minute = 0\n').replace('rows_per_hour = 300', 'rows_per_hour = 0')
  server = await started({ seed: true, files: { 'cloch.toml': unlimited } })
  const entrant = await user('entrant@example.org')
  const admin = await user('admin@example.org', 'admin')
  callers = [
    { name: 'anon', as: { role: 'anon' }, key: server.anonKey, role: 'anon' },
    { name: 'an entrant', as: { user: entrant.id }, key: entrant.token, role: 'authenticated' },
    { name: 'an admin', as: { user: admin.id }, key: admin.token, role: 'authenticated' },
    { name: 'service_role', as: { role: 'service_role' }, key: server.serviceKey, role: 'service_role' },
  ]
  // Inserts rows into the tables that are empty after the seed.
  await server.rows(`
    insert into public.extra_files (kind, entrant_name, uploaded_files) values ('additional', 'Somebody', '{a/b.pdf}');
    insert into public.guest_letters (guest_name, email, subject, message) values ('Somebody', 'guest@example.org', 'Hello', 'Come.');
    insert into public.season_totals (season, award, category, entries) values ('Before', 'artist', 'junior', 3);
    insert into public.late_links (award, entrant, token_hash, expires_at) values ('artist', 'Somebody', 'no hash', 'infinity');
    insert into public.entry_links (award, entry, token_hash) values ('artist', gen_random_uuid(), 'no hash');
    insert into public.entry_mails (award, entry, state) values ('artist', gen_random_uuid(), 'thanked');
    insert into public.reminders (audience, mails) values ('files', 1);
    insert into public.judging_criteria (award, name) values ('musician', 'Interpretation');
    update public.young_artist_entries set publicity_consent = 'agree' where withdrawn_at is null;
    insert into public.site_results (award, entry) select award, id from club.public_entries where award = 'artist' limit 1;
    select 1`)
  tables = await Promise.all((await server.rows(`select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`)).map(([name]) => described(name)))
})
after(() => server?.remove())

async function user(email, role) {
  const options = { auth: { persistSession: false, autoRefreshToken: false } }
  const service = createClient(server.url, server.serviceKey, options)
  const made = await service.auth.admin.createUser({ email, password: PASSWORD, email_confirm: true })
  assert.equal(made.error, null)
  const { id } = made.data.user
  if (role) assert.equal((await service.from('user_roles').insert({ user_id: id, role })).error, null)
  const { data, error } = await createClient(server.url, server.anonKey, options).auth.signInWithPassword({ email, password: PASSWORD })
  assert.equal(error, null)
  return { id, token: data.session.access_token }
}

/** Returns a table with its columns, its key, its newest row, and a row to write. */
async function described(name) {
  const columns = await server.rows(`select attname, attgenerated <> '' or attidentity <> '' from pg_attribute where attrelid = 'public.${name}'::regclass and attnum > 0 and not attisdropped order by attnum`)
  const keys = await server.rows(`select a.attname from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey) where i.indrelid = 'public.${name}'::regclass and i.indisprimary order by 1`)
  const [[total, row]] = await server.rows(`select count(*), (select to_jsonb(t) from public.${name} t order by t::text desc limit 1) from public.${name}`)
  return { name, columns: columns.filter(([, computed]) => computed !== 't').map(([column]) => column), keys: keys.map(([key]) => key), total: Number(total), row: row && JSON.parse(row) }
}

/**
 * Returns the requests for one combination: for all columns, and for the columns on which the caller has the privilege, each with and without
 * returning the rows.
 */
function requests({ name, columns, keys, row }, action, may) {
  const path = `/rest/v1/${name}`
  const one = `?${keys.map((key) => `${key}=eq.${encodeURIComponent(row[key])}`).join('&')}`
  const values = (names) => Object.fromEntries(names.map((column) => [column, row[column]]))
  const granted = columns.filter((column) => may(action, column))
  const reads = columns.filter((column) => may('SELECT', column))
  const some = (names) => names.length > 0 && names.length < columns.length
  if (action === 'SELECT') return [{ path }, ...(some(reads) ? [{ path: `${path}?select=${reads.join(',')}` }] : []), { path: `${path}${one}` }]
  if (action === 'DELETE') return [{ path: `${path}${one}` }]
  const target = action === 'INSERT' ? path : `${path}${one}`
  const body = values(some(granted) ? granted : columns)
  return [...(some(granted) ? [{ path: target, body: values(columns) }] : []), { path: target, body }, { path: target, body, returning: true }]
}

/** Sends a REST request. Returns the outcome in the terms of `why`. */
async function answered({ key }, method, { path, body, returning }, total) {
  const headers = { apikey: server.anonKey, authorization: `Bearer ${key}`, 'content-type': 'application/json', prefer: returning ? 'return=representation' : 'return=minimal' }
  const response = await fetch(`${server.url}${path}`, { method, headers, body: body && JSON.stringify(body) })
  const text = await response.text()
  const json = text === '' ? undefined : JSON.parse(text)
  const counted = (count) => (count === 0 ? 'hidden' : count === total ? 'allowed' : 'partly')
  if (method === 'GET' && response.ok) return { outcome: counted(json.length) }
  if (response.status === TAKEN_BACK) return { outcome: counted(Number(json.message)) }
  if (json?.code === '42501') return { outcome: 'refused', message: json.message }
  // Constraints and keys are checked after privileges and policies.
  if (json?.code?.startsWith('23')) return { outcome: 'allowed' }
  throw new Error(`${method} ${path}: ${response.status} ${text}`)
}

/** Compares the cause that `why` reports with the catalog and with PostgreSQL's error message. */
function checkCause(answer, { message }, { privileges, policies }, what) {
  const { cause, privilege, columns, policy, policy_command: command, candidates } = answer
  const of = (permissive) => policies.filter((one) => one.permissive === permissive && ['ALL', command].includes(one.command)).map(({ name }) => name)
  if (message?.startsWith('permission denied')) {
    assert.ok(['privilege', 'columns'].includes(cause), what)
    if (cause === 'columns') for (const column of columns) assert.ok(!privileges.has(`${privilege} ${column}`), `${column}: ${what}`)
    if (cause === 'columns') assert.ok(columns.length > 0, what)
    if (cause === 'privilege') assert.ok(![...privileges].some((one) => one.startsWith(`${privilege} `)), what)
    return
  }
  const named = /row-level security policy "(.+)" for table/.exec(message ?? '')
  if (named) return assert.deepEqual([cause, policy], ['restricted', named[1]], what)
  if (cause === 'no_policy') return assert.deepEqual(of('PERMISSIVE'), [], what)
  if (cause === 'restricted') return assert.ok(of('RESTRICTIVE').includes(policy), what)
  assert.equal(cause, 'not_permitted', what)
  assert.deepEqual([...candidates].sort(), of('PERMISSIVE').sort(), what)
}

/** Reads from the catalog what a role may do: its privileges on each column (for DELETE, on the table), and its policies. */
async function catalog(table, role) {
  const privileges = await server.rows(`
    select p || ' ' || attname from pg_attribute, unnest(array['SELECT', 'INSERT', 'UPDATE']) p
     where attrelid = 'public.${table}'::regclass and attnum > 0 and not attisdropped and has_column_privilege('${role}', attrelid, attnum, p)
    union all select 'DELETE *' where has_table_privilege('${role}', 'public.${table}', 'DELETE')`)
  const policies = await server.rows(`select policyname, permissive, cmd from pg_policies where schemaname = 'public' and tablename = '${table}' and roles && array['public', '${role}']::name[]`)
  return { privileges: new Set(privileges.map(([one]) => one)), policies: policies.map(([name, permissive, command]) => ({ name, permissive, command })) }
}

/** Requests the explanation of `why` for every combination, for all callers at once. Returns the questions and answers. */
async function askAll() {
  const ofCaller = async (caller) => {
    const asked = []
    for (const table of tables) {
      const known = await catalog(table.name, caller.role)
      for (const action of Object.keys(methods)) {
        for (const request of requests(table, action, (privilege, column) => known.privileges.has(`${privilege} ${column}`))) {
          const answer = await server.why(caller.as, methods[action], request.path, request.body, { returning: request.returning ?? false })
          asked.push({ table, caller, action, request, answer, known })
        }
      }
    }
    return asked
  }
  return (await Promise.all(callers.map(ofCaller))).flat()
}

test('every combination: the response of REST matches the explanation, and explaining changes nothing', async () => {
  assert.ok(tables.length > 25, `${tables.length} tables`)
  assert.deepEqual(tables.filter(({ total }) => total === 0).map(({ name }) => name), [], 'tables without a row')
  const first = await server.digest()
  const asked = await askAll()
  assert.deepEqual(await server.digest(), first, 'asking changed something')
  // The club's own triggers complete or refuse rows before the policies are checked. They are disabled here, so that only policies are compared.
  const triggers = await server.rows(`select quote_ident(tgname), tgrelid::regclass from pg_trigger where not tgisinternal and tgenabled <> 'D' and tgrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)`)
  const switched = (verb) => triggers.map(([name, table]) => `alter table ${table} ${verb} trigger ${name};`).join('\n')
  const made = tables.flatMap(({ name }) => ['insert', 'update', 'delete'].map((event) => `create trigger "zz ${event}" after ${event} on public.${name} referencing ${event === 'delete' ? 'old' : 'new'} table as done for each statement execute function public.take_back();`))
  await server.rows(`create function public.take_back() returns trigger language plpgsql set search_path = '' as $$
    declare rows bigint; begin select count(*) into rows from done; raise exception using errcode = 'PT${TAKEN_BACK}', message = rows::text; end $$;
    ${switched('disable')} ${made.join('\n')} select 1`)
  const outcomes = {}
  for (const { table, caller, action, request, answer, known } of asked) {
    const whole = action === 'SELECT' && !/[?&](?!select)/.test(request.path)
    const did = await answered(caller, methods[action], request, whole ? table.total : 1)
    const what = `${caller.name}, ${action} ${request.path}${request.returning ? ', read back' : ''} ${JSON.stringify(request.body ?? '')}: REST ${JSON.stringify(did)}, why ${JSON.stringify({ ...answer, facts: undefined, rows: answer.rows.slice(0, 1) })}`
    assert.equal(answer.outcome, did.outcome, what)
    assert.equal(answer.command, action, what)
    if (['refused', 'hidden', 'partly'].includes(did.outcome)) checkCause(answer, did, known, what)
    else if (did.outcome === 'allowed') assert.equal(answer.cause ?? null, null, what)
    outcomes[did.outcome] = (outcomes[did.outcome] ?? 0) + 1
  }
  await server.rows(`drop function public.take_back() cascade; ${switched('enable')} select 1`)
  assert.deepEqual(await server.digest(), first, 'something was kept')
  assert.ok(asked.length >= tables.length * callers.length * 4, `${asked.length} questions`)
  assert.ok(outcomes.allowed > 100 && outcomes.refused > 100 && outcomes.hidden > 20, JSON.stringify(outcomes))
  console.log(`${tables.length} tables, ${asked.length} questions: ${JSON.stringify(outcomes)}`)
})
