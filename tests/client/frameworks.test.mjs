/**
 * Packages that build on supabase-js or on the database, all unmodified. For each one there is a short scenario. Also runs the JavaScript program of
 * docs/clients.md.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { SupabaseAdapter } from '@auth/supabase-adapter'
import { PostgrestFilter, PostgrestParser, buildInsertFetcher, buildUpsertFetcher, createOffsetPaginationFetcher } from '@supabase-cache-helpers/postgrest-core'
import { createServerClient } from '@supabase/ssr'
import { createClient } from '@supabase/supabase-js'

import { application, startNextAuth } from '../clients/auth_adapter.mjs'
import { checkTable, snippets } from '../clients/document.mjs'
import { resetRows, startClub } from '../clients/project.mjs'
import { application as svelteKit } from '../clients/sveltekit.mjs'
import { authLink, messageTo } from '../support/inbox.mjs'

const require = createRequire(import.meta.url)
const password = 'Greenock pier'
/** A table as in RxDB's documentation: rows are marked as deleted, and the server sets the time of modification. */
const heroes = `
create table public.heroes (id text primary key, name text not null, _deleted boolean not null default false, _modified timestamptz not null default now());
alter table public.heroes enable row level security;
create policy "users sync" on public.heroes for all to authenticated using (true) with check (true);
create function public.set_modified() returns trigger language plpgsql as $$ begin new._modified := clock_timestamp(); return new; end $$;
create trigger modified before insert or update on public.heroes for each row execute function public.set_modified();
alter publication supabase_realtime add table public.heroes;
`
const results = []
let server, service, user

before(async () => {
  server = await startClub({ 'migrations/20260102000000_heroes.sql': heroes })
  await resetRows(server)
  service = createClient(server.url, server.serviceKey, { auth: { persistSession: false, autoRefreshToken: false } })
  await service.auth.admin.createUser({ email: 'ann@club.example', password, email_confirm: true })
  user = createClient(server.url, server.anonKey, { auth: { persistSession: false, autoRefreshToken: false } })
  const { error } = await user.auth.signInWithPassword({ email: 'ann@club.example', password })
  assert.equal(error, null)
})
after(async () => {
  await user?.removeAllChannels()
  await server?.remove()
})

/** A scenario. Its row in the table contains the package's version and what the scenario has done. */
function scenario(name, does, run) {
  test(`${name}: ${does}`, async () => {
    await run()
    results.push([`\`${name}\` ${versionOf(name)}`, does])
  })
}

/** Returns the installed version, also of packages that do not export their package.json. */
function versionOf(name) {
  const folder = require.resolve.paths(name).map((path) => join(path, name, 'package.json'))
  for (const file of folder) {
    try {
      return JSON.parse(readFileSync(file, 'utf8')).version
    } catch {
      continue
    }
  }
  throw new Error(`${name} is not installed`)
}

const good = ({ data, error }) => {
  assert.equal(error, null, JSON.stringify(error))
  return data
}

/** The cookies of a browser, with the methods that @supabase/ssr expects of the cookie stores of Next and SvelteKit. */
class Cookies {
  all = new Map()
  getAll = () => [...this.all].map(([name, value]) => ({ name, value }))
  setAll = (changes) => changes.forEach(({ name, value, options }) => (value === '' || options?.maxAge === 0 ? this.all.delete(name) : this.all.set(name, value)))
}
const serverClient = ({ getAll, setAll }) => createServerClient(server.url, server.anonKey, { cookies: { getAll, setAll } })

scenario('@supabase/ssr', 'sessions in cookies of several parts (tokens of 7 KB), refreshed by middleware; a PKCE callback', async () => {
  const large = { nick: 'Ssr', badge: 'x'.repeat(5000) }
  await service.auth.admin.createUser({ email: 'ssr@club.example', password, email_confirm: true, user_metadata: large })
  const cookies = new Cookies()
  const { session } = good(await serverClient(cookies).auth.signInWithPassword({ email: 'ssr@club.example', password }))
  assert.ok(session.access_token.length > 6500, `${session.access_token.length} characters`)
  const parts = cookies.getAll().filter(({ name }) => /-auth-token\.\d+$/.test(name))
  assert.ok(parts.length >= 3, `${parts.length} cookies`)

  // The next request is sent with only its cookies.
  const next = serverClient(cookies)
  assert.equal(good(await next.auth.getUser()).user.user_metadata.nick, 'Ssr')
  assert.equal(good(await next.auth.getClaims()).claims.user_metadata.badge.length, 5000)
  assert.equal(good(await next.from('members').select('name').eq('id', 1).single()).name, 'Ann')
  good(await next.from('notes').insert({ body: 'from a server' }))

  const old = cookies.getAll().map(({ value }) => value).join()
  good(await serverClient(cookies).auth.refreshSession())
  assert.notEqual(cookies.getAll().map(({ value }) => value).join(), old)
  assert.equal(good(await serverClient(cookies).auth.getUser()).user.email, 'ssr@club.example')

  // The user opens the link of the mail in the same browser. The cookies of this browser contain the code verifier.
  const browser = new Cookies()
  good(await serverClient(browser).auth.signInWithOtp({ email: 'ssr@club.example', options: { emailRedirectTo: 'https://club.example/auth/callback' } }))
  const link = authLink(await messageTo(server.url, 'ssr@club.example', /link to sign in/))
  const { headers } = await fetch(link, { redirect: 'manual' })
  const code = new URL(headers.get('location')).searchParams.get('code')
  good(await serverClient(browser).auth.exchangeCodeForSession(code))
  assert.equal(good(await serverClient(browser).auth.getUser()).user.email, 'ssr@club.example')
  await serverClient(browser).auth.signOut({ scope: 'local' })
  assert.deepEqual(browser.getAll(), [])
})

scenario('@supabase/ssr', 'SvelteKit: hooks.server.ts with its guard, form actions, a load function with a count, an expired session, sign-out', async () => {
  const email = 'svelte@club.example'
  await service.auth.admin.createUser({ email, password, email_confirm: true, user_metadata: { badge: 'x'.repeat(5000) } })
  const isAllowed = (error, data) => (error ? Response.json({ code: error.code }, { status: error.status }) : data)
  const { request, cookies } = svelteKit({ url: server.url, key: server.anonKey }, {
    '/auth': async ({ request: form, locals }) => {
      if (form.method === 'GET') return { page: 'sign in' }
      const fields = Object.fromEntries(await form.formData())
      const { error } = await locals.supabase.auth.signInWithPassword(fields)
      return isAllowed(error, new Response(null, { status: 303, headers: { location: '/private' } }))
    },
    '/auth/confirm': async ({ url, locals }) => {
      const { error } = await locals.supabase.auth.verifyOtp({ type: url.searchParams.get('type'), token_hash: url.searchParams.get('token_hash') })
      return isAllowed(error, new Response(null, { status: 303, headers: { location: '/private' } }))
    },
    '/private': async ({ locals: { supabase, user: visitor } }) => {
      const { data, count, error } = await supabase.from('notes').select('body', { count: 'exact' }).order('id')
      return isAllowed(error, { email: visitor.email, notes: data.map(({ body }) => body), count })
    },
    '/private/notes': async ({ request: form, locals: { supabase } }) => {
      const { error } = await supabase.from('notes').insert({ body: (await form.formData()).get('body') })
      return isAllowed(error, { done: true })
    },
    '/auth/sign-out': async ({ locals }) => isAllowed((await locals.supabase.auth.signOut({ scope: 'local' })).error, { done: true }),
  })
  const post = (path, fields = {}) => request(path, { method: 'POST', body: new URLSearchParams(fields) })
  const place = (response) => [response.status, response.headers.get('location')]

  assert.deepEqual(place(await request('/private')), [303, '/auth'])
  assert.deepEqual(await (await request('/auth')).json(), { page: 'sign in' })
  const refused = await post('/auth', { email, password: 'wrong' })
  assert.deepEqual([refused.status, await refused.json(), cookies.size], [400, { code: 'invalid_credentials' }, 0])
  assert.deepEqual(place(await post('/auth', { email, password })), [303, '/private'])
  assert.ok(cookies.size >= 3, `${cookies.size} cookies`)
  assert.deepEqual(place(await request('/auth')), [303, '/private'])
  assert.deepEqual(await (await post('/private/notes', { body: 'from a form' })).json(), { done: true })
  assert.deepEqual(await (await request('/private')).json(), { email, notes: ['from a form'], count: 1 })

  // An expired session: the hook refreshes it before the page is rendered, so that the browser gets the new cookies.
  const name = [...cookies.keys()][0].replace(/\.\d+$/, '')
  const joined = [...cookies].filter(([key]) => key.startsWith(name)).sort(([a], [b]) => a.localeCompare(b)).map(([, value]) => value).join('')
  const session = JSON.parse(Buffer.from(joined.replace(/^base64-/, ''), 'base64url'))
  cookies.clear()
  cookies.set(name, `base64-${Buffer.from(JSON.stringify({ ...session, expires_at: 1, expires_in: 0 })).toString('base64url')}`)
  assert.deepEqual(await (await request('/private')).json(), { email, notes: ['from a form'], count: 1 })
  assert.doesNotMatch([...cookies.values()].join(''), new RegExp(session.refresh_token))
  assert.ok(!cookies.has(name) && cookies.has(`${name}.0`), 'the parts replace the single cookie')

  assert.deepEqual(await (await post('/auth/sign-out')).json(), { done: true })
  assert.equal(cookies.size, 0)
  assert.deepEqual(place(await request('/private')), [303, '/auth'])

  // The link of a mail in the form that Supabase's documentation proposes: the application verifies the hash itself.
  const { properties } = good(await service.auth.admin.generateLink({ type: 'magiclink', email }))
  const link = `/auth/confirm?type=magiclink&token_hash=${properties.hashed_token}`
  assert.deepEqual(place(await request(link)), [303, '/private'])
  cookies.clear()
  const again = await request(link)
  assert.deepEqual([again.status, await again.json()], [403, { code: 'otp_expired' }])
})

scenario('@supabase-cache-helpers/postgrest-core', 'cache keys of queries, pages, inserts and upserts with the paths of cached queries', async () => {
  const query = user.from('members').select('id, name, club:clubs(name)').eq('club_id', 1).order('id')
  const { table, orderBy, queryKey } = new PostgrestParser(query)
  assert.deepEqual([table, orderBy.length], ['members', 1])
  assert.match(queryKey, /club_id=eq\.1/)
  const rows = good(await query)
  assert.deepEqual(rows.map(({ name, club }) => [name, club.name]), [['Ann', 'Chess'], ['Bob', 'Chess']])
  const filter = PostgrestFilter.fromBuilder(query)
  assert.ok(filter.applyFilters({ id: 9, club_id: 1 }) && !filter.applyFilters({ id: 9, club_id: 2 }))

  const page = createOffsetPaginationFetcher(() => user.from('members').select('name').order('id'), { decode: (key) => key, pageSize: 2 })
  assert.deepEqual((await page({ limit: 2, offset: 2 })).map(({ name }) => name), ['Cara, Jr. (2nd)', 'Dee'])

  const { paths, filters } = filter.params
  const options = { query: 'id, age', queriesForTable: () => [{ paths, filters }] }
  const [inserted] = await buildInsertFetcher(user.from('members'), options)([{ name: 'Cache', club_id: 2 }])
  assert.equal(inserted.normalizedData.name, 'Cache')
  assert.ok(Object.values(inserted.normalizedData).includes('Rowing'))
  const [changed] = await buildUpsertFetcher(user.from('members'), { ...options, onConflict: 'name' })([{ name: 'Cache', age: 4 }])
  assert.equal(changed.userQueryData.age, 4)
  good(await user.from('members').delete().eq('name', 'Cache'))
})

scenario('@refinedev/supabase', 'data provider: lists with filters, sorters and pages, one, many, create, update, delete; live provider', async () => {
  const { dataProvider, liveProvider } = require('@refinedev/supabase')
  const data = dataProvider(user)
  const list = await data.getList({
    resource: 'members',
    pagination: { currentPage: 1, pageSize: 2, mode: 'server' },
    sorters: [{ field: 'name', order: 'desc' }],
    filters: [{ field: 'name', operator: 'contains', value: 'a' }],
    meta: { select: 'id, name, clubs(name)' },
  })
  assert.deepEqual([list.total, list.data.map(({ name }) => name)], [2, ['Cara, Jr. (2nd)', 'Ann']])
  const either = [{ operator: 'or', value: [{ field: 'age', operator: 'eq', value: 12 }, { field: 'age', operator: 'null', value: null }] }]
  assert.equal((await data.getList({ resource: 'members', filters: either })).total, 2)
  assert.equal((await data.getOne({ resource: 'members', id: 2 })).data.name, 'Bob')
  assert.equal((await data.getMany({ resource: 'members', ids: [1, 2] })).data.length, 2)

  const heard = new Promise((done) => {
    const subscription = liveProvider(user).subscribe({ channel: 'resources/members', types: ['created'], params: { resource: 'members' }, callback: done })
    assert.ok(subscription)
  })
  // It is not known when the channel begins to receive changes. Therefore rows are inserted until one insert arrives as the first event.
  let rounds = 0
  const inserts = setInterval(() => void user.from('members').insert({ name: `Live ${(rounds += 1)}` }).then(), 500)
  const event = await heard.finally(() => clearInterval(inserts))
  assert.equal(event.type, 'created')
  await user.removeAllChannels()
  good(await user.from('members').delete().like('name', 'Live %'))

  const { data: created } = await data.create({ resource: 'members', variables: { name: 'Refine', age: 8 } })
  assert.equal((await data.update({ resource: 'members', id: created.id, variables: { age: 9 } })).data.age, 9)
  await data.deleteOne({ resource: 'members', id: created.id })
  await assert.rejects(data.create({ resource: 'members', variables: { name: 'Ann' } }), { code: '23505' })
})

scenario('ra-supabase-core', 'data provider of react-admin: the schema (OpenAPI), lists with filters and embedded tables, one, many, create, update, delete', async () => {
  const { supabaseDataProvider } = require('ra-supabase-core')
  const data = supabaseDataProvider({ instanceUrl: server.url, apiKey: server.anonKey, supabaseClient: user })
  const { definitions } = await data.getSchema()
  assert.equal(definitions.members.properties.age.type, 'integer')
  const list = await data.getList('members', { pagination: { page: 1, perPage: 2 }, sort: { field: 'name', order: 'DESC' }, filter: { 'name@ilike': 'a' }, meta: { embed: ['clubs'] } })
  assert.deepEqual([list.total, list.data.map(({ name, clubs }) => [name, clubs.name])], [2, [['Cara, Jr. (2nd)', 'Rowing'], ['Ann', 'Chess']]])
  assert.equal((await data.getOne('members', { id: 2 })).data.name, 'Bob')
  assert.equal((await data.getMany('members', { ids: [1, 3] })).data.length, 2)
  const reference = { target: 'club_id', id: 1, pagination: { page: 1, perPage: 10 }, sort: { field: 'id', order: 'ASC' }, filter: {} }
  assert.equal((await data.getManyReference('members', reference)).total, 2)
  const { data: created } = await data.create('members', { data: { name: 'Admin', age: 8 } })
  assert.equal((await data.update('members', { id: created.id, data: { age: 9 }, previousData: created })).data.age, 9)
  assert.deepEqual((await data.deleteMany('members', { ids: [created.id] })).data, [created.id])
  await assert.rejects(data.create('members', { data: { name: 'Ann' } }), /duplicate key/)
})

scenario('rxdb', 'replication-supabase: two databases in memory exchange rows, changes and soft deletes', async () => {
  const { addRxPlugin, createRxDatabase } = require('rxdb')
  const { getRxStorageMemory } = require('rxdb/plugins/storage-memory')
  const { RxDBUpdatePlugin } = require('rxdb/plugins/update')
  const { replicateSupabase } = require('rxdb/plugins/replication-supabase')
  addRxPlugin(RxDBUpdatePlugin)
  const schema = {
    version: 0,
    primaryKey: 'id',
    type: 'object',
    properties: { id: { type: 'string', maxLength: 40 }, name: { type: 'string' } },
    required: ['id', 'name'],
  }
  const opened = []
  const device = async (name) => {
    const database = await createRxDatabase({ name, storage: getRxStorageMemory(), multiInstance: false })
    const { heroes: collection } = await database.addCollections({ heroes: { schema } })
    const replication = replicateSupabase({ client: user, collection, tableName: 'heroes', replicationIdentifier: `heroes-${name}`, live: true, retryTime: 500, waitForLeadership: false, pull: { batchSize: 2 }, push: { batchSize: 2 } })
    const errors = []
    replication.error$.subscribe((error) => errors.push(error))
    await replication.awaitInitialReplication()
    opened.push({ database, replication, errors })
    return collection
  }
  const until = async (holds, what) => {
    for (let round = 0; round < 400; round += 1) {
      if (await holds()) return
      await new Promise((next) => setTimeout(next, 50))
    }
    assert.fail(`${what}; errors: ${opened.flatMap(({ errors }) => errors.map(({ message, parameters }) => `${message} ${JSON.stringify(parameters?.errors)}`))}`)
  }

  try {
    const first = await device('first')
    for (const number of [1, 2, 3]) await first.insert({ id: `h${number}`, name: `Hero ${number}` })
    await until(async () => good(await user.from('heroes').select('id')).length === 3, 'pushed')
    const second = await device('second')
    await until(async () => (await second.find().exec()).length === 3, 'pulled')
    await (await second.findOne('h1').exec()).patch({ name: 'Renamed' })
    await until(async () => (await first.findOne('h1').exec()).name === 'Renamed', 'a change of the other device')
    await (await first.findOne('h2').exec()).remove()
    await until(async () => (await second.findOne('h2').exec()) === null, 'a deletion of the other device')
    assert.equal(good(await user.from('heroes').select('_deleted').eq('id', 'h2').single())._deleted, true)
  } finally {
    // An open replication would keep the process of the tests alive.
    for (const { database, replication } of opened) {
      await replication.cancel()
      await database.close()
    }
  }
})

scenario('@auth/supabase-adapter', 'Auth.js: users, accounts, sessions and tokens in schema `next_auth`; a sign-in by link; row-level security with the token of its documentation', async () => {
  const project = await startNextAuth()
  try {
    const adapter = SupabaseAdapter({ url: project.url, secret: project.serviceKey })
    await keepsAccounts(adapter)
    await signsIn(adapter, project)
  } finally {
    await project.remove()
  }
})

/** Calls all methods of the adapter. The expected values are those that Auth.js has passed in, with dates as `Date` and without null columns. */
async function keepsAccounts(adapter) {
  const verified = new Date('2026-03-01T10:20:30.456Z')
  const given = { email: 'fill@club.example', image: 'https://club.example/fill.png', name: "Fill O'Murray, Jr. (2nd)", emailVerified: verified }
  const { id, ...created } = await adapter.createUser({ id: randomUUID(), ...given })
  assert.deepEqual(created, given)
  const person = { id, ...given }
  assert.deepEqual([await adapter.getUser(id), await adapter.getUser(randomUUID())], [person, null])
  assert.deepEqual([await adapter.getUserByEmail(given.email), await adapter.getUserByEmail('nobody@club.example')], [person, null])
  await assert.rejects(adapter.createUser({ ...given, id: randomUUID() }), { code: '23505' })

  const account = { provider: 'github', providerAccountId: '583231' }
  const tokens = { type: 'oauth', access_token: 'gho_a', refresh_token: 'ghr_b', expires_at: 1_803_686_400, token_type: 'bearer', scope: 'read:user,user:email', id_token: 'x.y.z', session_state: 's' }
  await adapter.linkAccount({ ...account, ...tokens, userId: id })
  assert.deepEqual([await adapter.getUserByAccount(account), await adapter.getUserByAccount({ ...account, provider: 'gitlab' })], [person, null])

  const [soon, late] = [new Date('2126-04-01T00:00:00.001Z'), new Date('2126-05-01T00:00:00.002Z')]
  const session = await adapter.createSession({ sessionToken: 'a token', userId: id, expires: soon })
  assert.deepEqual(session, { id: session.id, sessionToken: 'a token', userId: id, expires: soon })
  assert.deepEqual([await adapter.getSessionAndUser('a token'), await adapter.getSessionAndUser('another')], [{ session, user: person }, null])
  assert.deepEqual(await adapter.updateSession({ sessionToken: 'a token', expires: late }), { ...session, expires: late })
  await adapter.deleteSession('a token')
  assert.equal(await adapter.getSessionAndUser('a token'), null)

  const token = { identifier: 'fill@club.example', token: 'a hash', expires: soon }
  assert.deepEqual(await adapter.createVerificationToken(token), token)
  assert.equal(await adapter.useVerificationToken({ ...token, identifier: 'other@club.example' }), null)
  assert.deepEqual([await adapter.useVerificationToken(token), await adapter.useVerificationToken(token)], [token, null])

  assert.equal((await adapter.updateUser({ id, name: 'Fill' })).name, 'Fill')
  await adapter.unlinkAccount(account)
  assert.equal(await adapter.getUserByAccount(account), null)
  await adapter.createSession({ sessionToken: 'a last token', userId: id, expires: late })
  await adapter.deleteUser(id)
  assert.deepEqual([await adapter.getUser(id), await adapter.getSessionAndUser('a last token')], [null, null])
}

/** Two users sign in to an application with Auth.js. With the token of the session, each user can see and change only this user's row. */
async function signsIn(adapter, { url, anonKey, keys }) {
  const clients = {}
  for (const email of ['ann@club.example', 'ben@club.example']) {
    const { request, mails } = application(adapter, keys.JWT_SECRET)
    await request('/api/auth/signin/email', { method: 'POST', body: new URLSearchParams({ email }) })
    assert.deepEqual(mails.map(({ identifier }) => identifier), [email])
    await request(mails[0].url)
    const session = await (await request('/api/auth/session')).json()
    assert.equal(session.user?.email, email, 'the link signs in')
    clients[email] = createClient(url, anonKey, { global: { headers: { Authorization: `Bearer ${session.supabaseAccessToken}` } } })
  }
  const [ann, ben] = Object.values(clients)
  assert.deepEqual(good(await ann.from('users').select('email')), [{ email: 'ann@club.example' }])
  assert.deepEqual(good(await ann.from('users').update({ name: 'Ann' }).like('email', '%@club.example').select('email, name')), [{ email: 'ann@club.example', name: 'Ann' }])
  assert.deepEqual(good(await ben.from('users').select('email, name')), [{ email: 'ben@club.example', name: null }])
  // According to the documentation, only service_role has privileges on the tables of Auth.js.
  for (const client of [ann, createClient(url, anonKey)]) {
    assert.equal((await client.schema('next_auth').from('users').select()).error.code, '42501')
  }
  assert.deepEqual(good(await createClient(url, anonKey).from('users').select()), [])
}

scenario('drizzle-orm', 'typed queries over node-postgres, relations by join, and row security in a transaction', async () => {
  const { drizzle } = await import('drizzle-orm/node-postgres')
  const { eq, ilike, sql } = await import('drizzle-orm')
  const { bigint, integer, jsonb, pgTable, text, uuid } = await import('drizzle-orm/pg-core')
  const clubs = pgTable('clubs', { id: integer('id').primaryKey(), name: text('name').notNull() })
  const members = pgTable('members', {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedByDefaultAsIdentity(),
    name: text('name').notNull(),
    age: integer('age'),
    tags: text('tags').array(),
    profile: jsonb('profile'),
    clubId: integer('club_id').references(() => clubs.id),
  })
  const notes = pgTable('notes', { id: bigint('id', { mode: 'number' }).primaryKey().generatedByDefaultAsIdentity(), body: text('body').notNull(), author: uuid('author') })
  const database = drizzle(server.keys.DB_URL)
  try {
    const rows = await database.select({ name: members.name, club: clubs.name, tags: members.tags, profile: members.profile }).from(members).innerJoin(clubs, eq(members.clubId, clubs.id)).where(ilike(members.name, 'a%'))
    assert.deepEqual(rows, [{ name: 'Ann', club: 'Chess', tags: ['red', 'blue'], profile: { town: 'Gourock' } }])
    const [row] = await database.insert(members).values({ name: 'Drizzle', tags: ['x'], profile: { a: 1 } }).onConflictDoUpdate({ target: members.name, set: { age: 1 } }).returning()
    assert.equal(row.name, 'Drizzle')
    await database.delete(members).where(eq(members.id, row.id))

    const { id } = (await user.auth.getUser()).data.user
    const own = await database.transaction(async (transaction) => {
      await transaction.execute(sql`select set_config('request.jwt.claims', ${JSON.stringify({ sub: id, role: 'authenticated' })}, true), set_config('role', 'authenticated', true)`)
      await transaction.insert(notes).values({ body: 'from drizzle' })
      return transaction.select().from(notes)
    })
    assert.deepEqual(own.map(({ body, author }) => [body, author]), [['from drizzle', id]])
  } finally {
    await database.$client.end()
  }
})

scenario('kysely', 'query builder, introspection, a transaction that is rolled back', async () => {
  const { Kysely, PostgresDialect, sql } = await import('kysely')
  const { default: pg } = await import('pg')
  const database = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: server.keys.DB_URL, max: 2 }) }) })
  try {
    const rows = await database.selectFrom('members').innerJoin('clubs', 'clubs.id', 'members.club_id').select(['members.name', 'clubs.name as club']).where('members.age', '>', 13).orderBy('members.name').execute()
    assert.deepEqual(rows, [{ name: 'Bob', club: 'Chess' }, { name: 'Cara, Jr. (2nd)', club: 'Rowing' }])
    const tables = await database.introspection.getTables()
    const columns = tables.find(({ schema, name }) => schema === 'public' && name === 'members').columns
    assert.ok(columns.find(({ name }) => name === 'id').isAutoIncrementing)
    await assert.rejects(
      database.transaction().execute(async (transaction) => {
        await transaction.insertInto('members').values({ name: 'Kysely', tags: sql`array['x']` }).execute()
        throw new Error('no')
      }),
      /no/,
    )
    assert.deepEqual(await database.selectFrom('members').selectAll().where('name', '=', 'Kysely').execute(), [])
  } finally {
    await database.destroy()
  }
})

test('the JavaScript program of docs/clients.md runs', async () => {
  good(await service.storage.createBucket('files', { public: true }))
  const [program, ...others] = snippets('js')
  assert.deepEqual(others, [])
  // The program must be in this folder, because it imports one of the installed packages.
  const file = join(import.meta.dirname, `.snippet-${process.pid}.mjs`)
  writeFileSync(file, program)
  try {
    const environment = { ...process.env, SUPABASE_URL: server.url, SUPABASE_ANON_KEY: server.anonKey, NODE_OPTIONS: '--experimental-websocket' }
    const { status, stdout, stderr } = spawnSync(process.execPath, [file], { env: environment, encoding: 'utf8', timeout: 60_000 })
    assert.deepEqual([status, stdout], [0, 'Meet at the pier\nhello\n'], stderr)
  } finally {
    rmSync(file)
  }
})

test('docs/clients.md contains the results of the scenarios', () => {
  checkTable('frameworks', ['package', 'what works'], results)
})
