/**
 * Packages for applications that use supabase-js, or the database of a project: of Supabase itself and of others. They are unmodified, and npm
 * installs them for this run. React's components run in jsdom.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire, register } from 'node:module'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'

import { checkTable } from '../clients/document.mjs'
import { resetRows, startClub } from '../clients/project.mjs'
import { query } from '../support/database.mjs'
import { messageTo } from '../support/inbox.mjs'
import { installPackages } from '../support/npm_packages.mjs'
import { until } from '../support/until.mjs'

const versions = {
  '@supabase/supabase-js': '2.119.1',
  '@supabase/ssr': '0.12.7',
  '@supabase/server': '1.8.1',
  '@nuxtjs/supabase': '2.0.10',
  '@supabase/stripe-sync-engine': '0.48.5',
  '@supabase/postgres-meta': '0.99.0',
  '@supabase/mcp-server-postgrest': '0.2.0',
  '@modelcontextprotocol/server': '2.4.0',
  zod: '4.1.13',
  '@supabase/sentry-js-integration': '0.3.0',
  '@supabase/auth-ui-react': '0.4.7',
  '@supabase/auth-ui-shared': '0.1.8',
  '@supabase-cache-helpers/postgrest-react-query': '1.13.9',
  '@supabase-cache-helpers/storage-react-query': '1.3.7',
  '@tanstack/db': '0.15.2',
  '@tanstack/query-db-collection': '1.4.8',
  '@tanstack/query-core': '5.108.4',
  '@tanstack/react-query': '5.108.4',
  '@sentry/node': '10.78.0',
  stripe: '23.1.0',
  h3: '1.15.11',
  // auth-ui-react needs version 18.
  react: '18.3.1',
  'react-dom': '18.3.1',
  jsdom: '29.1.1',
}
const options = { auth: { persistSession: false, autoRefreshToken: false } }
const password = 'Greenock pier'
const results = []
let server, packages, createClient, service
before(async () => {
  packages = installPackages('supabase-packages', ['--legacy-peer-deps', ...Object.entries(versions).map((entry) => entry.join('@'))])
  server = await startClub()
  await resetRows(server)
  ;({ createClient } = await load('@supabase/supabase-js'))
  service = createClient(server.url, server.serviceKey, options)
})
after(async () => {
  await server?.remove()
  packages?.remove()
})

const require = () => createRequire(join(packages.folder, 'package.json'))
const load = (name) => import(pathToFileURL(require().resolve(name)))
function good({ data, error }) {
  assert.equal(error, null, JSON.stringify(error))
  return data
}
/** Creates a user. Returns a signed-in client, with the session. */
async function signedIn(name) {
  const email = `${name}@club.example`
  good(await service.auth.admin.createUser({ email, password, email_confirm: true }))
  const client = createClient(server.url, server.anonKey, options)
  const { session } = good(await client.auth.signInWithPassword({ email, password }))
  return { client, session, email }
}
function scenario(name, does, run) {
  test(name, async () => {
    await run()
    results.push([`\`${name}\` ${versions[name]}`, does])
  })
}

scenario('@supabase/server', '`withSupabase` in Node: users, publishable keys, secret keys, lists of modes; wrong and missing credentials', async () => {
  const { withSupabase } = await load('@supabase/server')
  const { PUBLISHABLE_KEY, SECRET_KEY } = server.keys
  const jwks = await (await fetch(`${server.url}/auth/v1/.well-known/jwks.json`)).json()
  const env = { url: server.url, publishableKeys: { default: PUBLISHABLE_KEY }, secretKeys: { default: SECRET_KEY }, jwks }
  const { session } = await signedIn('server')
  const answer = async (auth, headers) => {
    const handler = withSupabase({ auth, env }, async (_, context) => {
      const { data, error } = await context.supabase.from('notes').insert({ body: context.authMode }).select('body, author')
      const { count } = await context.supabaseAdmin.from('notes').select('*', { count: 'exact', head: true })
      return Response.json({ mode: context.authMode, id: context.userClaims?.id, rows: data, code: error?.code, count })
    })
    const response = await handler(new Request('http://127.0.0.1/', { headers }))
    return { status: response.status, ...(await response.json()) }
  }
  const user = { authorization: `Bearer ${session.access_token}`, apikey: PUBLISHABLE_KEY }
  const { id } = session.user
  assert.deepEqual(await answer('user', user), { status: 200, mode: 'user', id, rows: [{ body: 'user', author: id }], count: 1 })
  assert.deepEqual(await answer(['user', 'secret'], { apikey: SECRET_KEY }), { status: 200, mode: 'secret', rows: null, code: '42501', count: 1 })
  assert.equal((await answer('publishable', { apikey: PUBLISHABLE_KEY })).code, '42501')
  for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: `Bearer ${session.access_token.slice(0, -4)}AAAA` }]) assert.equal((await answer('user', headers)).status, 401)
})

scenario('@nuxtjs/supabase', 'helpers of the server: client, user, session and service role from cookies, a refreshed session', async () => {
  // Nuxt's bundler resolves \`#imports\`. Here a loader of Node does.
  const config = { public: { supabase: { url: server.url, key: server.anonKey, cookiePrefix: 'sb-club', cookieOptions: { maxAge: 3600, sameSite: 'lax', secure: false }, clientOptions: {} } }, supabase: { secretKey: server.keys.SECRET_KEY } }
  globalThis.nuxtConfig = config
  const source = `export async function resolve(specifier, context, next) {
    if (specifier === '#imports') return { url: 'data:text/javascript,export const useRuntimeConfig = () => globalThis.nuxtConfig', shortCircuit: true }
    return next(specifier, context)
  }`
  register(`data:text/javascript,${encodeURIComponent(source)}`)
  const helpers = await import(pathToFileURL(packages.program('@nuxtjs/supabase/dist/runtime/server/services/index.js')))
  const { createApp, createError, defineEventHandler, toNodeListener } = await load('h3')
  const app = createApp()
  app.use('/sign-in', defineEventHandler(async (event) => {
    const client = await helpers.serverSupabaseClient(event)
    const { error } = await client.auth.signInWithPassword({ email: 'nuxt@club.example', password })
    if (error) throw createError({ statusCode: 400, statusMessage: error.message })
    return 'ok'
  }))
  app.use('/me', defineEventHandler(async (event) => {
    const client = await helpers.serverSupabaseClient(event)
    const { data } = await client.from('notes').select('body')
    const all = await helpers.serverSupabaseServiceRole(event).from('notes').select('*', { count: 'exact', head: true })
    return { user: (await helpers.serverSupabaseUser(event))?.email ?? null, session: Boolean(await helpers.serverSupabaseSession(event)), rows: data, all: all.count }
  }))
  const site = createServer(toNodeListener(app)).listen(0, '127.0.0.1')
  await once(site, 'listening')
  try {
    const { client } = await signedIn('nuxt')
    good(await client.from('notes').insert({ body: 'of nuxt' }))
    const url = `http://127.0.0.1:${site.address().port}`
    const signIn = await fetch(`${url}/sign-in`)
    assert.equal(signIn.status, 200, await signIn.text())
    const cookies = signIn.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
    assert.ok(cookies.every((cookie) => cookie.startsWith('sb-club')), cookies.join('\n'))
    const { all, ...me } = await (await fetch(`${url}/me`, { headers: { cookie: cookies.join('; ') } })).json()
    assert.deepEqual(me, { user: 'nuxt@club.example', session: true, rows: [{ body: 'of nuxt' }] })
    assert.ok(all >= 1)
    assert.deepEqual(await (await fetch(`${url}/me`)).json(), { user: null, session: false, rows: [], all })
  } finally {
    site.close()
  }
})

scenario('@supabase/stripe-sync-engine', 'its migrations, twice; signed webhooks of customers, products, prices, subscriptions, deletions', async () => {
  const { StripeSync, runMigrations } = require()('@supabase/stripe-sync-engine')
  const Stripe = require()('stripe')
  const problems = []
  const logger = { info: () => {}, error: (error) => problems.push(error) }
  const schema = 'stripe'
  for (let round = 0; round < 2; round += 1) await runMigrations({ databaseUrl: server.keys.DB_URL, schema, logger })
  assert.deepEqual(problems, [])
  const sync = new StripeSync({ schema, poolConfig: { connectionString: server.keys.DB_URL, max: 4 }, stripeSecretKey: 'sk_test_1', stripeWebhookSecret: 'whsec_1', autoExpandLists: false, backfillRelatedEntities: false })
  const { webhooks } = new (Stripe.default ?? Stripe)('sk_test_1')
  // The engine ignores an event that is not newer than the row.
  let created = 1_790_000_000
  const send = (type, object, secret = 'whsec_1') => {
    const payload = JSON.stringify({ id: `evt_${type}`, object: 'event', type, created: (created += 1), data: { object } })
    return sync.processWebhook(payload, webhooks.generateTestHeaderString({ payload, secret }))
  }
  const customer = { id: 'cus_1', object: 'customer', email: 'ann@club.example', name: 'Ann “Ü”', metadata: { a: 'b' }, created: 1, preferred_locales: ['en'] }
  const items = { object: 'list', has_more: false, data: [{ id: 'si_1', object: 'subscription_item', price: { id: 'price_1' }, subscription: 'sub_1', quantity: 2, created: 1, metadata: {}, tax_rates: [] }] }
  try {
    await send('customer.created', customer)
    await send('customer.updated', { ...customer, name: 'Ann' })
    await send('product.created', { id: 'prod_1', object: 'product', name: 'Berth', active: true, created: 1, images: ['https://club.example/a.png'], metadata: {}, marketing_features: [{ name: 'deep' }] })
    await send('price.created', { id: 'price_1', object: 'price', product: 'prod_1', active: true, currency: 'gbp', unit_amount: 1000, recurring: { interval: 'month' }, type: 'recurring', created: 1, metadata: {}, billing_scheme: 'per_unit' })
    await send('customer.subscription.created', { id: 'sub_1', object: 'subscription', customer: 'cus_1', status: 'active', created: 1, metadata: {}, items, default_tax_rates: [] })
    await assert.rejects(send('customer.updated', { ...customer, name: 'X' }, 'whsec_other'), /signature/i)
    const rows = await query(server.keys.DB_URL, `select c.name, c.metadata, s.status::text, i.quantity, p.unit_amount, d.name as product from stripe.customers c join stripe.subscriptions s on s.customer = c.id
      join stripe.subscription_items i on i.subscription = s.id join stripe.prices p on p.id = i.price join stripe.products d on d.id = p.product`)
    assert.deepEqual(rows, [{ name: 'Ann', metadata: { a: 'b' }, status: 'active', quantity: 2, unit_amount: 1000, product: 'Berth' }])
    await send('product.deleted', { id: 'prod_1', object: 'product', deleted: true })
    assert.deepEqual(await query(server.keys.DB_URL, 'select id from stripe.products'), [])
  } finally {
    await sync.postgresClient.pool.end()
  }
})

scenario('@supabase/postgres-meta', 'the catalog as Studio reads it: schemas, tables, columns, policies, functions, triggers, roles, publications, extensions, relationships; changes of tables, columns and policies', async () => {
  const { PostgresMeta } = await import(pathToFileURL(packages.program('@supabase/postgres-meta/dist/lib/index.js')))
  const meta = new PostgresMeta({ connectionString: server.keys.DB_URL, max: 1 })
  const names = (list, key = 'name') => list.map((one) => one[key])
  try {
    const table = good(await meta.tables.retrieve({ schema: 'public', name: 'members' }))
    assert.deepEqual([table.rls_enabled, names(table.columns).length, names(table.primary_keys), table.relationships.length], [true, 8, ['id'], 1])
    for (const [kind, expected] of Object.entries({ schemas: 'public', extensions: 'pgcrypto', publications: 'supabase_realtime', roles: 'authenticated', types: 'int4range' })) assert.ok(names(good(await meta[kind].list({ includeSystemSchemas: true }))).includes(expected), kind)
    for (const kind of ['views', 'triggers', 'indexes', 'materializedViews', 'foreignTables', 'columnPrivileges']) assert.ok(Array.isArray(good(await meta[kind].list())), kind)
    assert.ok(names(good(await meta.policies.list({ includedSchemas: ['public'] }))).includes('own notes'))
    assert.ok(names(good(await meta.functions.list({ includedSchemas: ['public'] }))).includes('older_than'))
    assert.ok(good(await meta.relationships.list()).some(({ relation: from, referenced_relation: to }) => from === 'members' && to === 'clubs'))
    assert.ok(good(await meta.config.list({ limit: 5 })).length === 5)
    assert.match(good(await meta.version.retrieve()).version, /PostgreSQL/)
    const made = good(await meta.tables.create({ name: 'by_meta', schema: 'public', comment: 'made by meta' }))
    good(await meta.columns.create({ table_id: made.id, name: 'word', type: 'text', default_value: 'ahoy', is_nullable: false, comment: 'a word' }))
    const column = good(await meta.columns.retrieve({ schema: 'public', table: 'by_meta', name: 'word' }))
    good(await meta.columns.update(column.id, { name: 'words', type: 'varchar', is_nullable: true }))
    good(await meta.tables.update(made.id, { rls_enabled: true }))
    const policy = good(await meta.policies.create({ name: 'all read', schema: 'public', table: 'by_meta', action: 'PERMISSIVE', roles: ['anon'], command: 'SELECT', definition: 'true' }))
    assert.deepEqual(policy.roles, ['anon'])
    assert.equal((await fetch(`${server.url}/rest/v1/by_meta?select=words`, { headers: { apikey: server.anonKey } })).status, 200)
    good(await meta.tables.remove(made.id))
    assert.match((await meta.query('select * from missing')).error.message, /relation "missing" does not exist/)
  } finally {
    await meta.end()
  }
})

/** Queries that the tool translates for the table REST. PostgreSQL's own answer is the expected one. */
const queries = [
  'select name, age from members where age > 12 order by age desc',
  "select name from members where name ilike '%a%' and (age < 14 or age >= 17) order by name",
  'select id from members where age is null',
  "select name from members where name in ('Ann', 'Cara, Jr. (2nd)') order by name",
  'select name as title, id from members order by id limit 2 offset 1',
  "select profile->>'town' as town from members order by id limit 1",
  'select count(*) from members',
]
scenario('@supabase/mcp-server-postgrest', 'an agent\'s tools: requests to tables as `anon`, a refused insert, SQL that is translated to a request', async () => {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js')
  const program = packages.program('@supabase/mcp-server-postgrest/dist/stdio.js')
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StdioClientTransport({ command: packages.node, args: [program, '--apiUrl', `${server.url}/rest/v1`, '--apiKey', server.anonKey, '--schema', 'public'], env: packages.environment }))
  try {
    const call = async (name, words) => {
      const { content: [{ text }], isError } = await client.callTool({ name, arguments: words })
      return isError ? { refused: text } : JSON.parse(text)
    }
    await query(server.keys.DB_URL, 'alter role authenticator set pgrst.db_aggregates_enabled = true')
    await query(server.keys.DB_URL, "notify pgrst, 'reload config'")
    await until(async () => (await fetch(`${server.url}/rest/v1/members?select=count()`, { headers: { apikey: server.anonKey } })).ok, 'aggregates')
    for (const sql of queries) {
      const { method, path } = await call('sqlToRest', { sql })
      const expected = JSON.parse(JSON.stringify(await query(server.keys.DB_URL, sql), (_, value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value)))
      assert.deepEqual((await call('postgrestRequest', { method, path })).result, expected, `${sql}: ${path}`)
    }
    const refused = await call('postgrestRequest', { method: 'POST', path: '/members', body: { name: 'x' } })
    assert.match(JSON.stringify(refused), /42501/)
  } finally {
    await client.close()
  }
})

scenario('@supabase/sentry-js-integration', 'spans and breadcrumbs of queries and of auth, the error of a refused query', async () => {
  const Sentry = await load('@sentry/node')
  const { supabaseIntegration } = await load('@supabase/sentry-js-integration')
  const { SupabaseClient } = await load('@supabase/supabase-js')
  const events = []
  Sentry.init({
    dsn: 'https://key@sentry.example/1',
    tracesSampleRate: 1,
    defaultIntegrations: false,
    integrations: [supabaseIntegration(SupabaseClient, Sentry, { tracing: true, breadcrumbs: true, errors: true })],
    transport: () => ({ send: async ([, items]) => void events.push(...items.map(([{ type }, body]) => ({ type, body }))) ?? {}, flush: async () => true }),
  })
  try {
    const client = createClient(server.url, server.anonKey, options)
    await Sentry.startSpan({ name: 'page', op: 'test' }, async () => {
      assert.equal(good(await client.from('clubs').select('name').eq('id', 1))[0].name, 'Chess')
      assert.equal((await client.from('missing').select()).error.code, 'PGRST205')
    })
    await Sentry.flush(2000)
    const spans = events.filter(({ type }) => type === 'transaction').flatMap(({ body }) => body.spans)
    assert.ok(spans.some(({ description, data }) => /clubs/.test(description) && JSON.stringify(data).includes('eq(id, 1)')), JSON.stringify(spans))
    const error = events.find(({ type }) => type === 'event')
    assert.match(JSON.stringify(error?.body.exception ?? events.map(({ type }) => type)), /Could not find the table 'public\.missing'/)
  } finally {
    await Sentry.close()
  }
})

/** Gives React a document. Returns a function that renders an element, and one that waits for the document. */
async function page(url = 'https://club.example/') {
  const { JSDOM } = await load('jsdom')
  const dom = new JSDOM('<!doctype html><div id="root"></div>', { url, pretendToBeVisual: true })
  for (const name of ['window', 'document', 'navigator']) Object.defineProperty(globalThis, name, { value: dom.window[name] ?? dom.window, configurable: true })
  const React = (await load('react')).default
  const { createRoot } = (await load('react-dom/client')).default
  const root = createRoot(dom.window.document.getElementById('root'))
  const type = (element, text) => {
    Object.getOwnPropertyDescriptor(dom.window.HTMLInputElement.prototype, 'value').set.call(element, text)
    element.dispatchEvent(new dom.window.Event('input', { bubbles: true }))
  }
  // The globals remain, because React continues with some work after a root is gone.
  const close = async () => {
    root.unmount()
    await new Promise((next) => setTimeout(next, 50))
    dom.window.close()
  }
  return { React, root, type, close, find: (selector) => dom.window.document.querySelector(selector), text: () => dom.window.document.body.textContent, window: dom.window }
}

scenario('@supabase/auth-ui-react', 'the form: a wrong password, sign-in, sign-up with a message, a forgotten password, a magic link', async () => {
  const { Auth } = await import(pathToFileURL(packages.program('@supabase/auth-ui-react/dist/index.es.js')))
  const { ThemeSupa } = require()('@supabase/auth-ui-shared')
  const { email } = await signedIn('form')
  const client = createClient(server.url, server.anonKey, options)
  const { React, root, type, close, find, text, window } = await page()
  const forms = { sign_in: 'auth-sign-in', sign_up: 'auth-sign-up', forgotten_password: 'auth-forgot-password', magic_link: 'auth-magic-link' }
  const show = (view) => {
    root.render(React.createElement(Auth, { supabaseClient: client, view, key: view, appearance: { theme: ThemeSupa }, providers: ['github'], redirectTo: 'https://club.example/in' }))
    return until(() => find(`form#${forms[view]} button[type=submit]`), () => text())
  }
  // With a late event of auth, the form begins again with empty fields. Then a person fills it in once more.
  const send = (fields, isAnswered) =>
    until(async () => {
      for (const [name, value] of Object.entries(fields)) {
        // React takes no notice of a value that the field already has, and stores a value after its event.
        for (const text of ['', value]) {
          type(find(`input[name=${name}]`), text)
          await new Promise((next) => setTimeout(next, 50))
        }
      }
      find('form').dispatchEvent(new window.Event('submit', { bubbles: true, cancelable: true }))
      return until(isAnswered, () => text(), 5000).catch(() => false)
    }, () => text())
  const says = (pattern) => () => pattern.test(text())
  const signedInUser = async () => good(await client.auth.getSession()).session?.user.email === email
  try {
    await show('sign_in')
    await send({ email, password: 'wrong password' }, says(/Invalid login credentials/))
    await send({ email, password }, signedInUser)
    good(await client.auth.signOut({ scope: 'local' }))
    await show('sign_up')
    await send({ email: 'form-new@club.example', password }, says(/Check your email for the confirmation link/))
    await show('forgotten_password')
    await send({ email }, says(/Check your email for the password reset link/))
    await messageTo(server.url, email, /password/i)
    await show('magic_link')
    await send({ email }, says(/Check your email for the magic link/))
    await messageTo(server.url, email, /link to sign in/)
  } finally {
    await close()
  }
})

scenario('@supabase-cache-helpers/postgrest-react-query', 'queries, counts, errors, inserts, upserts, updates and deletes that change the cached lists', async () => {
  const helpers = require()('@supabase-cache-helpers/postgrest-react-query')
  const { QueryClient, QueryClientProvider } = require()('@tanstack/react-query')
  const { client } = await signedIn('helpers')
  const { React, root, close } = await page()
  const queryClient = new QueryClient({ defaultOptions: { queries: { gcTime: 0 }, mutations: { gcTime: 0 } } })
  const seen = {}
  const list = client.from('members').select('id,name,age', { count: 'exact' }).gte('age', 14).order('id')
  function App() {
    seen.list = helpers.useQuery(list)
    seen.one = helpers.useQuery(client.from('members').select('id,name').eq('id', 1).single())
    seen.error = helpers.useQuery(client.from('missing').select('id'), { retry: false })
    seen.insert = helpers.useInsertMutation(client.from('members'), ['id'], 'id,name,age')
    seen.upsert = helpers.useUpsertMutation(client.from('members'), ['id'], 'id,name,age')
    seen.update = helpers.useUpdateMutation(client.from('members'), ['id'], 'id,name,age')
    seen.remove = helpers.useDeleteMutation(client.from('members'), ['id'], 'id')
    return null
  }
  try {
    root.render(React.createElement(QueryClientProvider, { client: queryClient }, React.createElement(App)))
    const listed = (expected) => until(() => JSON.stringify(seen.list?.data?.map(({ name }) => name)) === JSON.stringify(expected), () => JSON.stringify([seen.list?.data, seen.list?.error]))
    await listed(['Bob', 'Cara, Jr. (2nd)'])
    assert.equal(seen.list.count, 2)
    await until(() => seen.one.data?.name === 'Ann' && seen.error.error, () => JSON.stringify(seen.one))
    assert.equal(seen.error.error.code, 'PGRST205')
    const [made] = await seen.insert.mutateAsync([{ name: 'Helper', age: 20 }])
    await listed(['Bob', 'Cara, Jr. (2nd)', 'Helper'])
    await seen.update.mutateAsync({ id: made.id, age: 3 })
    await listed(['Bob', 'Cara, Jr. (2nd)'])
    await seen.upsert.mutateAsync([{ id: made.id, name: 'Helper', age: 30 }])
    await listed(['Bob', 'Cara, Jr. (2nd)', 'Helper'])
    await seen.remove.mutateAsync({ id: made.id })
    await listed(['Bob', 'Cara, Jr. (2nd)'])
  } finally {
    await close()
    queryClient.clear()
  }
})

scenario('@supabase-cache-helpers/storage-react-query', 'uploads, folders, public and signed URLs, deletions', async () => {
  const helpers = require()('@supabase-cache-helpers/storage-react-query')
  const { QueryClient, QueryClientProvider } = require()('@tanstack/react-query')
  const { client } = await signedIn('storage-helpers')
  good(await service.storage.createBucket('helpers'))
  const { React, root, close } = await page()
  const queryClient = new QueryClient({ defaultOptions: { queries: { gcTime: 0 }, mutations: { gcTime: 0 } } })
  const files = client.storage.from('helpers')
  const seen = {}
  function App() {
    seen.folder = helpers.useDirectory(files, 'a', { refetchOnWindowFocus: false })
    seen.url = helpers.useFileUrl(files, 'a/one.txt', 'private', { ensureExistence: false, refetchOnWindowFocus: false, retry: true, retryDelay: 100 })
    seen.urls = helpers.useDirectoryFileUrls(files, 'a', 'private', { refetchOnWindowFocus: false })
    seen.upload = helpers.useUpload(files, { buildFileName: ({ path, fileName }) => `${path}/${fileName}` })
    seen.remove = helpers.useRemoveFiles(files)
    return null
  }
  try {
    root.render(React.createElement(QueryClientProvider, { client: queryClient }, React.createElement(App)))
    await until(() => seen.folder?.data, () => JSON.stringify(seen.folder?.error))
    assert.deepEqual(seen.folder.data, [])
    const uploaded = await seen.upload.mutateAsync({ files: [new File(['one'], 'one.txt'), new File(['two'], 'two.txt')], path: 'a' })
    assert.deepEqual(uploaded.map(({ error }) => error ?? null), [null, null], JSON.stringify(uploaded))
    const listed = (expected) => until(() => JSON.stringify(seen.folder.data.map(({ name }) => name)) === JSON.stringify(expected), () => JSON.stringify(seen.folder.data))
    await listed(['one.txt', 'two.txt'])
    await until(() => seen.url.data && seen.urls.data?.length === 2, () => JSON.stringify([seen.url.error, seen.urls.data]))
    assert.equal(await (await fetch(seen.url.data)).text(), 'one')
    assert.equal(await (await fetch(seen.urls.data[1].url)).text(), 'two')
    await seen.remove.mutateAsync(['a/one.txt'])
    await listed(['two.txt'])
  } finally {
    await close()
    queryClient.clear()
  }
})

scenario('@tanstack/query-db-collection', 'collections over supabase-js: live queries with joins, optimistic inserts, updates and deletes, a refused insert that is rolled back, changes from realtime', async () => {
  const { createCollection, createLiveQueryCollection, eq, gt } = await load('@tanstack/db')
  const { queryCollectionOptions } = await load('@tanstack/query-db-collection')
  const { QueryClient } = await load('@tanstack/query-core')
  const { client } = await signedIn('tanstack')
  const queryClient = new QueryClient({ defaultOptions: { queries: { gcTime: 0 }, mutations: { gcTime: 0 } } })
  const table = (name, more = {}) =>
    createCollection(queryCollectionOptions({ queryKey: [name], queryClient, getKey: ({ id }) => id, queryFn: async () => good(await client.from(name).select('*').order('id')), ...more }))
  const changes = (transaction) => transaction.mutations
  const throwing = ({ error }) => {
    if (error) throw new Error(error.message)
  }
  const members = table('members', {
    onInsert: async ({ transaction }) => throwing(await client.from('members').insert(changes(transaction).map(({ modified }) => modified))),
    onUpdate: async ({ transaction }) => { for (const { key, changes: set } of changes(transaction)) throwing(await client.from('members').update(set).eq('id', key)) },
    onDelete: async ({ transaction }) => throwing(await client.from('members').delete().in('id', changes(transaction).map(({ key }) => key))),
  })
  const clubs = table('clubs')
  const grown = createLiveQueryCollection((q) => q.from({ m: members }).join({ c: clubs }, ({ m, c }) => eq(m.club_id, c.id), 'inner').where(({ m }) => gt(m.age, 13)).select(({ m, c }) => ({ id: m.id, name: m.name, club: c.name })))
  const subscription = grown.subscribeChanges(() => {})
  await grown.preload()
  const names = () => [...grown.values()].map(({ name, club }) => `${name}, ${club}`).toSorted()
  assert.deepEqual(names(), ['Bob, Chess', 'Cara, Jr. (2nd), Rowing'])
  await members.insert({ id: 900, name: 'Tan', age: 40, club_id: 2 }).isPersisted.promise
  assert.ok(names().includes('Tan, Rowing'))
  assert.equal(good(await client.from('members').select('age').eq('id', 900).single()).age, 40)
  await members.update(900, (draft) => { draft.name = 'Tanya' }).isPersisted.promise
  assert.ok(names().includes('Tanya, Rowing'))
  const refused = members.insert({ id: 901, name: 'Ann', age: 50, club_id: 1 })
  assert.ok(names().includes('Ann, Chess'))
  await assert.rejects(refused.isPersisted.promise, /duplicate key/)
  assert.ok(!names().includes('Ann, Chess'))
  const channel = client.channel('tanstack').on('postgres_changes', { event: '*', schema: 'public', table: 'members' }, () => members.utils.refetch())
  const ready = new Promise((resolve) => channel.on('system', {}, ({ message }) => /Subscribed to PostgreSQL/.test(message) && resolve()))
  await new Promise((joined) => channel.subscribe((state) => state === 'SUBSCRIBED' && joined()))
  await ready
  good(await service.from('members').insert({ id: 902, name: 'Other', age: 60, club_id: 1 }))
  await until(() => names().includes('Other, Chess'), () => names().join())
  await members.delete([900, 902]).isPersisted.promise
  assert.deepEqual(names(), ['Bob, Chess', 'Cara, Jr. (2nd), Rowing'])
  await client.removeAllChannels()
  subscription.unsubscribe()
  for (const collection of [grown, members, clubs]) await collection.cleanup()
  queryClient.clear()
})

test('docs/clients.md shows what works', () => checkTable('supabase-packages', ['package', 'what works'], results))
