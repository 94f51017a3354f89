/**
 * Unmodified client libraries and tools of npm that no other suite uses, with the calls of their README. They are installed for this run only.
 * `supabase`, the Supabase CLI, is the program of its package.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'

import { createClient } from '@supabase/supabase-js'

import { checkTable } from '../clients/document.mjs'
import { resetRows, startClub } from '../clients/project.mjs'
import { authLink, messageTo } from '../support/inbox.mjs'
import { installPackages } from '../support/npm_packages.mjs'
import { until } from '../support/until.mjs'

const password = 'Greenock pier'
const versions = { 'supabase-1': '1.35.7', 'auth-helpers-nextjs': '0.10.0', 'ra-data-postgrest': '2.5.1', 'supabase-management-js': '2.0.2', supabase: '3.1.0' }
const packages = [
  '--legacy-peer-deps',
  `supabase-1@npm:@supabase/supabase-js@${versions['supabase-1']}`,
  `@supabase/auth-helpers-nextjs@${versions['auth-helpers-nextjs']}`,
  '@supabase/supabase-js@2.119.0',
  `@raphiniert/ra-data-postgrest@${versions['ra-data-postgrest']}`,
  `supabase-management-js@${versions['supabase-management-js']}`,
  `supabase@${versions.supabase}`,
]
const results = []
let installed, server, service

before(async () => {
  installed = installPackages('more-clients', packages)
  server = await startClub({ 'cloch.toml': '[management]\naccess = "local"\n' })
  await resetRows(server)
  service = createClient(server.url, server.serviceKey, { auth: { persistSession: false, autoRefreshToken: false } })
})
after(async () => {
  await server?.remove()
  installed?.remove()
})

/** The scenarios of one package. The row in the table contains what all of them have done. */
function scenarios(title, different, steps) {
  test(title, async (context) => {
    for (const [does, run] of Object.entries(steps)) await context.test(does, run)
    results.push([title, Object.keys(steps).length, Object.keys(steps).join('; '), different])
  })
}

const load = (name) => import(pathToFileURL(createRequire(join(installed.folder, 'package.json')).resolve(name)))
const good = ({ data, error }) => {
  assert.equal(error, null, JSON.stringify(error))
  return data
}
async function createUser(name) {
  const email = `${name}@club.example`
  good(await service.auth.admin.createUser({ email, password, email_confirm: true }))
  return email
}

const older = {}
scenarios(`\`@supabase/supabase-js\` ${versions['supabase-1']}`, '`maybeSingle` without a row: an error, as with PostgREST since version 11', {
  'sign-up, sign-in, refresh, update, magic link, provider, reset': async () => {
    const { createClient: create } = await load('supabase-1')
    const options = { persistSession: false, autoRefreshToken: false }
    older.service = create(server.url, server.serviceKey, options)
    older.client = create(server.url, server.anonKey, options)
    const { auth } = older.client
    const { user, error } = await auth.signUp({ email: 'v1-up@club.example', password }, { data: { nick: 'V' }, redirectTo: 'https://club.example/in' })
    assert.deepEqual([error, user.user_metadata.nick], [null, 'V'])
    older.email = await createUser('v1')
    assert.deepEqual((await auth.signIn({ email: older.email, password: 'wrong' })).error, { message: 'Invalid login credentials', status: 400 })
    assert.equal((await auth.signIn({ email: older.email })).error, null)
    await messageTo(server.url, older.email, /link to sign in/)
    assert.match((await auth.signIn({ provider: 'github' })).url, /\/auth\/v1\/authorize\?provider=github/)
    assert.equal((await auth.api.resetPasswordForEmail(older.email)).error, null)
    assert.equal((await auth.signIn({ email: older.email, password })).user.email, older.email)
    assert.equal(auth.session().user.email, older.email)
    assert.equal((await auth.refreshSession()).error, null)
    assert.equal((await auth.update({ data: { nick: 'W' } })).user.user_metadata.nick, 'W')
    assert.equal((await auth.api.getUser(auth.session().access_token)).user.email, older.email)
  },
  'administration: create, list, get, update, invite, generate links, delete': async () => {
    const { api } = older.service.auth
    const { user } = await api.createUser({ email: 'v1-made@club.example', password, email_confirm: true })
    assert.ok((await api.listUsers()).data.some(({ id }) => id === user.id))
    assert.equal((await api.getUserById(user.id)).data.email, user.email)
    assert.equal((await api.updateUserById(user.id, { user_metadata: { b: 2 } })).user.user_metadata.b, 2)
    assert.match((await api.generateLink('magiclink', user.email)).data.action_link, /type=magiclink/)
    assert.ok((await api.inviteUserByEmail('v1-invited@club.example')).data.invited_at)
    assert.equal((await api.deleteUser(user.id)).error, null)
    assert.equal((await api.getUserById(user.id)).error.status, 404)
  },
  'rows: embeds, filters, insert, upsert, update, delete, count, CSV, functions': async () => {
    const { client } = older
    assert.deepEqual(good(await client.from('members').select('name,clubs(name)').order('id').limit(1)), [{ name: 'Ann', clubs: { name: 'Chess' } }])
    const [{ id }] = good(await client.from('members').insert([{ name: 'V1', age: 3 }]))
    assert.equal(good(await client.from('members').insert({ name: 'V2' }, { returning: 'minimal' })), null)
    assert.equal(good(await client.from('members').upsert({ name: 'V1', age: 4 }, { onConflict: 'name' }))[0].id, id)
    assert.equal(good(await client.from('members').update({ age: 5 }).match({ name: 'V1' }))[0].age, 5)
    assert.equal(good(await client.from('members').delete().in('name', ['V1', 'V2'])).length, 2)
    const found = await client.from('members').select('name').filter('tags', 'cs', '{red}').or('age.gt.13,name.eq.Ann').not('age', 'is', null).rangeGt('stay', '[0,1)').order('name')
    assert.deepEqual(good(found), [{ name: 'Ann' }, { name: 'Bob' }])
    assert.equal((await client.from('members').select('*', { count: 'exact', head: true })).count, 4)
    assert.equal(good(await client.from('members').select('id,name').eq('id', 1).csv()), 'id,name\n1,Ann')
    assert.equal(good(await client.rpc('add', { a: 1, b: 2 })), 3)
    const { data, count } = await client.rpc('older_than', { minimum: 13 }, { count: 'exact' }).select('name').order('name')
    assert.deepEqual([data.length, count], [2, 2])
    assert.equal((await client.from('members').select().eq('id', -1).single()).error.code, 'PGRST116')
    assert.equal((await client.from('members').select().eq('id', -1).maybeSingle()).error.details, 'The result contains 0 rows')
  },
  'files: buckets, upload, update, download, list, signed URLs, copy, move, remove': async () => {
    const { storage } = older.client
    const { storage: buckets } = older.service
    assert.equal(good(await buckets.createBucket('v1', { public: true })), 'v1')
    assert.equal(good(await buckets.getBucket('v1')).public, true)
    const files = storage.from('v1')
    assert.equal(good(await files.upload('a/b.txt', 'hello', { contentType: 'text/plain', upsert: true })).Key, 'v1/a/b.txt')
    assert.equal(good(await files.update('a/b.txt', 'again')).Key, 'v1/a/b.txt')
    assert.equal(await good(await files.download('a/b.txt')).text(), 'again')
    assert.equal((await files.download('a/none.txt')).error.status, 400)
    assert.equal(good(await files.list('a'))[0].name, 'b.txt')
    assert.equal(await (await fetch(files.getPublicUrl('a/b.txt').publicURL)).text(), 'again')
    assert.equal(await (await fetch((await files.createSignedUrl('a/b.txt', 60)).signedURL)).text(), 'again')
    assert.deepEqual(good(await files.createSignedUrls(['a/b.txt', 'none'], 60)).map(({ signedURL }) => signedURL !== null), [true, false])
    good(await files.copy('a/b.txt', 'a/c.txt'))
    good(await files.move('a/c.txt', 'a/d.txt'))
    assert.equal(good(await files.remove(['a/b.txt', 'a/d.txt'])).length, 2)
    good(await buckets.emptyBucket('v1'))
    good(await buckets.updateBucket('v1', { public: false }))
    good(await buckets.deleteBucket('v1'))
  },
  'functions.invoke': async () => {
    assert.equal(good(await older.client.functions.invoke('hello', { body: JSON.stringify({ a: 1 }) })).body, '{"a":1}')
  },
  'realtime: changes of a table, of one row, of a schema': async () => {
    const { client } = older
    const heard = { table: [], row: [], schema: [], inserts: [] }
    const states = []
    const hear = (from, event, into) => new Promise((joined) => client.from(from).on(event, (change) => into.push(change)).subscribe((state) => joined(states.push(state))))
    await Promise.all([hear('members', '*', heard.table), hear('members:name=eq.Rt', 'INSERT', heard.row), hear('*', '*', heard.schema), hear('clubs', 'INSERT', heard.inserts)])
    assert.deepEqual(states, Array(4).fill('SUBSCRIBED'))
    // Policies decide when a change is sent. Therefore each change must arrive before the next one removes what it shows.
    const all = (count) => until(() => heard.table.length === count && heard.schema.length === count, () => JSON.stringify(heard))
    good(await client.from('members').insert([{ name: 'Other' }, { name: 'Rt' }]))
    await all(2)
    good(await client.from('members').update({ age: 5 }).eq('name', 'Rt'))
    await all(3)
    good(await client.from('members').delete().in('name', ['Rt', 'Other']))
    await all(5)
    const kinds = (changes) => changes.map(({ eventType, schema, table }) => `${eventType} ${schema}.${table}`)
    const expected = ['INSERT', 'INSERT', 'UPDATE', 'DELETE', 'DELETE'].map((kind) => `${kind} public.members`)
    assert.deepEqual([kinds(heard.table), kinds(heard.schema), heard.row.length], [expected, expected, 1])
    const [{ new: row, errors, commit_timestamp: time }] = heard.row
    assert.deepEqual([row.name, row.tags, row.age, errors], ['Rt', [], null, null])
    assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000, time)
    const { new: changed, old } = heard.table[2]
    assert.deepEqual([changed.age, changed.id, old.id], [5, row.id, row.id])
    assert.ok(heard.table.some(({ eventType, old: deleted }) => eventType === 'DELETE' && deleted.id === row.id))
    for (const subscription of client.getSubscriptions()) await client.removeSubscription(subscription)
    assert.deepEqual(heard.inserts, [])
  },
  'sign-out': async () => {
    const token = older.client.auth.session().access_token
    assert.equal((await older.client.auth.signOut()).error, null)
    assert.equal((await older.client.auth.api.getUser(token)).error.status, 403)
  },
})

scenarios(`\`@supabase/auth-helpers-nextjs\` ${versions['auth-helpers-nextjs']}`, 'none', {
  'route handlers, server components, middleware with a refreshed session, a PKCE sign-in': async () => {
    Object.assign(process.env, { NEXT_PUBLIC_SUPABASE_URL: server.url, NEXT_PUBLIC_SUPABASE_ANON_KEY: server.anonKey })
    const { createMiddlewareClient, createRouteHandlerClient, createServerComponentClient } = await load('@supabase/auth-helpers-nextjs')
    const email = await createUser('helpers')
    const jar = new Map()
    const store = { get: (name) => jar.has(name) && { name, value: jar.get(name) }, set: (name, value) => (value ? jar.set(name, value) : jar.delete(name)) }
    const cookies = () => store
    good(await createRouteHandlerClient({ cookies }).auth.signInWithPassword({ email, password }))
    const component = createServerComponentClient({ cookies })
    assert.equal(good(await component.auth.getUser()).user.email, email)
    assert.equal(good(await component.from('members').select('name').eq('id', 1).single()).name, 'Ann')
    assert.equal(good(await createRouteHandlerClient({ cookies }).from('notes').insert({ body: 'from a route' }).select().single()).body, 'from a route')

    const request = () => ({ headers: new Headers({ cookie: [...jar].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ') }) })
    const response = { headers: new Headers() }
    const middleware = createMiddlewareClient({ req: request(), res: response })
    const { session } = good(await middleware.auth.getSession())
    assert.equal(session.user.email, email)
    const { session: next } = good(await middleware.auth.refreshSession())
    assert.notEqual(next.access_token, session.access_token)
    assert.ok(decodeURIComponent(response.headers.get('set-cookie')).includes(next.access_token))

    jar.clear()
    good(await createRouteHandlerClient({ cookies }).auth.signInWithOtp({ email, options: { emailRedirectTo: 'https://club.example/auth/callback' } }))
    const { headers } = await fetch(authLink(await messageTo(server.url, email, /link to sign in/)), { redirect: 'manual' })
    good(await createRouteHandlerClient({ cookies }).auth.exchangeCodeForSession(new URL(headers.get('location')).searchParams.get('code')))
    assert.equal(good(await createServerComponentClient({ cookies }).auth.getUser()).user.email, email)
    await createRouteHandlerClient({ cookies }).auth.signOut()
    assert.deepEqual([...jar.keys()], [])
  },
})

scenarios(`\`@raphiniert/ra-data-postgrest\` ${versions['ra-data-postgrest']}`, 'none', {
  'data provider: lists with operators, `@or`, JSON paths and embedded tables; one, many, references, create, update, delete, functions': async () => {
    const { default: module } = await load('@raphiniert/ra-data-postgrest')
    // As fetchJson of react-admin, with the keys of a server.
    const httpClient = async (url, options = {}) => {
      const headers = new Headers(options.headers ?? { accept: 'application/json' })
      headers.set('apikey', server.serviceKey)
      const response = await fetch(url, { ...options, headers })
      const body = await response.text()
      if (!response.ok) throw new Error(`${response.status} ${url}: ${body}`)
      return { status: response.status, headers: response.headers, body, json: body && JSON.parse(body) }
    }
    const provider = (module.default ?? module)({ apiUrl: `${server.url}/rest/v1`, httpClient, defaultListOp: 'eq', primaryKeys: new Map(), schema: () => '' })
    const page = (more = {}) => ({ pagination: { page: 1, perPage: 2 }, sort: { field: 'name', order: 'ASC' }, filter: {}, ...more })
    const names = async (more) => {
      const { data, total } = await provider.getList('members', page(more))
      return [data.map(({ name }) => name), total]
    }
    assert.deepEqual(await names(), [['Ann', 'Bob'], 4])
    assert.deepEqual(await names({ pagination: { page: 2, perPage: 3 } }), [['Dee'], 4])
    assert.deepEqual(await names({ filter: { 'name@ilike': 'ann', 'age@gte': 10 } }), [['Ann'], 1])
    assert.deepEqual(await names({ filter: { 'profile->>town@eq': 'Gourock' } }), [['Ann', 'Dee'], 2])
    assert.deepEqual(await names({ filter: { '@or': { 'name@like': 'A*', 'age@gt': 16 } } }), [['Ann', 'Cara, Jr. (2nd)'], 2])
    const { data: [embedded] } = await provider.getList('members', page({ meta: { columns: ['id', 'club:clubs(name)'] } }))
    assert.deepEqual(embedded, { id: 1, club: { name: 'Chess' } })
    assert.equal((await provider.getOne('members', { id: 1 })).data.name, 'Ann')
    assert.deepEqual((await provider.getMany('members', { ids: [1, 2] })).data.map(({ id }) => id).toSorted(), [1, 2])
    assert.equal((await provider.getManyReference('members', { target: 'club_id', id: 1, ...page() })).total, 2)
    const { data: created } = await provider.create('members', { data: { name: 'Ra' } })
    assert.equal((await provider.update('members', { id: created.id, data: { age: 5 }, previousData: created })).data.age, 5)
    assert.deepEqual((await provider.updateMany('members', { ids: [created.id], data: { age: 6 } })).data, [created.id])
    assert.equal((await provider.delete('members', { id: created.id, previousData: created })).data.age, 6)
    assert.deepEqual((await provider.getList('rpc/older_than', page({ filter: { 'minimum@': 14 } }))).data.map(({ name }) => name), ['Bob', 'Cara, Jr. (2nd)'])
  },
})

const management = {}
scenarios(`\`supabase-management-js\` ${versions['supabase-management-js']}`, 'branches, billing, domains, network rules, single sign-on: HTTP 404. Settings cannot be changed: they are in config.toml', {
  'organisations, projects, keys, health, settings': async () => {
    const { SupabaseManagementAPI } = await load('supabase-management-js')
    management.api = new SupabaseManagementAPI({ accessToken: server.keys.SUPABASE_ACCESS_TOKEN, baseUrl: server.url })
    const { api } = management
    const [{ slug }] = (await api.listAllOrganizations()).data
    assert.equal((await api.getAnOrganization(slug)).data.name, slug)
    const { status, data: [project] } = await api.listAllProjects()
    assert.deepEqual([status, project.ref, project.status], [200, server.keys.PROJECT_REF, 'ACTIVE_HEALTHY'])
    management.ref = project.ref
    assert.equal((await api.getProject(project.ref)).data.name, 'test')
    assert.ok((await api.getProjectApiKeys(project.ref)).data.some(({ api_key: key }) => key === server.anonKey))
    assert.equal((await api.getProjectLegacyApiKeys(project.ref)).data.enabled, true)
    assert.ok((await api.getServicesHealth(project.ref, { services: ['auth', 'rest'] })).data.every(({ healthy }) => healthy))
    assert.equal((await api.getAuthServiceConfig(project.ref)).data.site_url, 'https://club.example')
    assert.equal((await api.getPostgrestServiceConfig(project.ref)).data.max_rows, 1000)
    assert.equal((await api.getStorageConfig(project.ref)).data.features.s3Protocol.enabled, true)
    assert.equal((await api.listAllBuckets(project.ref)).status, 200)
  },
  'SQL, migrations, types, advisors': async () => {
    const { api, ref } = management
    assert.deepEqual((await api.runAQuery(ref, { query: 'select name from clubs order by id' })).data, [{ name: 'Chess' }, { name: 'Rowing' }])
    assert.deepEqual((await api.readOnlyQuery(ref, { query: 'select 1 as one' })).data, [{ one: 1 }])
    await assert.rejects(api.readOnlyQuery(ref, { query: 'delete from clubs' }), /permission denied|read-only/)
    await api.applyAMigration(ref, { query: 'create table public.from_the_api (id int primary key)', name: 'from_the_api' })
    assert.ok((await api.listMigrationHistory(ref)).data.some(({ name }) => name === 'from_the_api'))
    assert.match((await api.generateTypescriptTypes(ref, { included_schemas: 'public' })).data.types, /from_the_api: \{/)
    assert.ok((await api.getSecurityAdvisors(ref)).data.lints.some(({ name, metadata }) => name === 'rls_disabled_in_public' && metadata.name === 'from_the_api'))
    assert.equal((await api.getPerformanceAdvisors(ref)).status, 200)
  },
  'functions and secrets': async () => {
    const { api, ref } = management
    await api.bulkCreateSecrets(ref, [{ name: 'GREETING', value: 'ahoy' }])
    assert.deepEqual((await api.listAllSecrets(ref)).data.map(({ name }) => name), ['GREETING'])
    const file = new File(['Deno.serve(() => new Response(Deno.env.get("GREETING")))'], 'index.ts', { type: 'application/typescript' })
    const deploy = (metadata) => api.deployAFunction(ref, { file: [file], metadata: { entrypoint_path: 'index.ts', name: 'greet', verify_jwt: false, ...metadata } }, { slug: 'greet' })
    const { data: made } = await deploy()
    assert.deepEqual([made.slug, made.status, made.verify_jwt], ['greet', 'ACTIVE', false])
    assert.equal(await (await fetch(`${server.url}/functions/v1/greet`)).text(), 'ahoy')
    assert.ok((await api.listAllFunctions(ref)).data.some(({ slug }) => slug === 'greet'))
    // The library names no type of this body.
    const json = { headers: { 'content-type': 'application/json' } }
    assert.equal((await api.updateAFunction(ref, 'greet', { verify_jwt: true }, {}, json)).data.verify_jwt, true)
    assert.equal((await fetch(`${server.url}/functions/v1/greet`)).status, 401)
    assert.equal((await api.getAFunction(ref, 'greet')).data.name, 'greet')
    assert.equal((await api.getAFunctionBody(ref, 'greet')).status, 200)
    await api.deleteAFunction(ref, 'greet')
    await assert.rejects(api.getAFunction(ref, 'greet'), { status: 404 })
    await api.bulkDeleteSecrets(ref, ['GREETING'])
    assert.deepEqual((await api.listAllSecrets(ref)).data, [])
  },
  'errors: a wrong token, another project, what Cloch does not have': async () => {
    const { api, ref } = management
    await assert.rejects(new api.constructor({ accessToken: `sbp_${'0'.repeat(40)}`, baseUrl: server.url }).listAllProjects(), { status: 401 })
    await assert.rejects(api.getProject('a'.repeat(20)), ({ status }) => status === 403 || status === 404)
    await assert.rejects(api.listAllBranches(ref), { status: 404, message: /Cloch has no such endpoint/ })
    await assert.rejects(api.updateAuthServiceConfig(ref, { site_url: 'https://other.example' }), { status: 405, message: /config\.toml/ })
  },
})

/** Runs the Supabase CLI in a folder of its own. Returns its output and its exit status. */
async function cli(...words) {
  const home = join(installed.folder, 'home')
  mkdirSync(home, { recursive: true })
  const profile = join(installed.folder, 'cloch.yaml')
  writeFileSync(profile, `name: cloch\napi_url: ${server.url}\ndashboard_url: ${server.url}\nproject_host: 127.0.0.1\n`)
  const environment = { ...installed.environment, HOME: home, SUPABASE_ACCESS_TOKEN: server.keys.SUPABASE_ACCESS_TOKEN, SUPABASE_YES: '1', SUPABASE_TELEMETRY_DISABLED: '1' }
  const child = spawn(installed.node, [installed.program('supabase/dist/supabase.js'), '--profile', profile, ...words], { cwd: join(installed.folder, 'work'), env: environment, stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const [status] = await once(child, 'close')
  return { status, output }
}
async function runs(words, expected) {
  const { status, output } = await cli(...words)
  assert.equal(status, 0, `supabase ${words.join(' ')}: ${output}`)
  for (const part of [expected].flat()) assert.match(output, part, `supabase ${words.join(' ')}`)
  return output
}

scenarios(`\`supabase\` ${versions.supabase} (the Supabase CLI, with a profile)`, '`config push`, `config diff`, `branches`, `backups`, `snippets`: not found. `logs`: functions only', {
  'init, projects, link, api-keys': async () => {
    mkdirSync(join(installed.folder, 'work'))
    const { PROJECT_REF: ref } = server.keys
    await runs(['init'], /Finished supabase init/)
    await runs(['projects', 'list'], new RegExp(ref))
    await runs(['link', '--project-ref', ref], /Finished supabase link/)
    await runs(['projects', 'api-keys', `--remote=${ref}`], new RegExp(server.anonKey))
  },
  'functions: deploy, list, download, delete; secrets': async () => {
    const remote = `--remote=${server.keys.PROJECT_REF}`
    const folder = join(installed.folder, 'work/supabase/functions/hey')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'index.ts'), 'Deno.serve(() => new Response(`hey ${Deno.env.get("SEA")}`))\n')
    await runs(['secrets', 'set', 'SEA=calm', remote], /Finished supabase secrets set/)
    await runs(['secrets', 'list', remote], /SEA/)
    await runs(['functions', 'deploy', 'hey', '--use-api', remote], /Deployed Functions/)
    await runs(['functions', 'list', remote], [/hey/, /hello/])
    const answer = await fetch(`${server.url}/functions/v1/hey`, { headers: { authorization: `Bearer ${server.anonKey}` } })
    assert.equal(await answer.text(), 'hey calm')
    writeFileSync(join(folder, 'index.ts'), '')
    await runs(['functions', 'download', 'hey', '--use-api', remote], /Downloaded Function hey/)
    assert.match(readFileSync(join(folder, 'index.ts'), 'utf8'), /hey \$\{Deno/)
    await runs(['functions', 'delete', 'hey', remote], /Deleted Function hey/)
    await runs(['secrets', 'unset', 'SEA', remote], /Finished supabase secrets unset/)
  },
  'by reference: types, SQL, advisors': async () => {
    const remote = `--remote=${server.keys.PROJECT_REF}`
    assert.match(await runs(['gen', 'types', '--schema', 'public', remote], /export type Database/), /members: \{/)
    await runs(['db', 'query', 'select name from public.clubs order by id', '--read-only', remote], [/Chess/, /Rowing/])
    await runs(['db', 'advisors', remote], /multiple_permissive_policies/)
  },
  'by database URL: migration list, db push, types, SQL, inspect': async () => {
    const remote = `--remote=${server.keys.DB_URL}`
    const folder = join(installed.folder, 'work/supabase/migrations')
    mkdirSync(folder, { recursive: true })
    for (const { version, name } of (await management.api.listMigrationHistory(management.ref)).data) writeFileSync(join(folder, `${version}_${name}.sql`), '')
    writeFileSync(join(folder, '20990101000000_pushed.sql'), 'create table public.pushed (id int primary key);\nalter table public.pushed enable row level security;\n')
    await runs(['migration', 'list', remote], [/20260101000000/, /20990101000000/])
    await runs(['db', 'push', remote], /20990101000000_pushed/)
    await runs(['db', 'query', 'select count(*) as rows_of_pushed from public.pushed', remote], /rows_of_pushed/)
    await runs(['gen', 'types', '--schema', 'public', remote], /\bpushed\b/)
    await runs(['inspect', 'db', 'table-stats', remote], /members/)
    assert.equal((await fetch(`${server.url}/rest/v1/pushed`, { headers: { apikey: server.anonKey } })).status, 200)
  },
  'what Cloch does not have is named': async () => {
    for (const words of [['branches', 'list'], ['backups', 'list'], ['config', 'push']]) {
      const { status, output } = await cli(...words, `--remote=${server.keys.PROJECT_REF}`)
      assert.notEqual(status, 0)
      assert.match(output, /Cloch has no such endpoint/)
    }
  },
})

test('docs/clients.md shows what works', () => checkTable('more-clients', ['package', 'scenarios', 'what works', 'deliberately different'], results))
