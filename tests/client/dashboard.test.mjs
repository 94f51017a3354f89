/**
 * Black-box test of the dashboard's API at /_/api. It first tests refusals (strangers, the project's own keys, other sites, stolen cookies,
 * insufficient roles, used links, guessed passwords), and then the actions of operators.
 */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, test } from 'node:test'
import { startProject } from '../support/program.mjs'

const PASSWORD = 'Greenock pier at dusk'

let server
let owner

/** A browser. It stores the cookie and sends the Origin of its pages. */
class Browser {
  constructor(url, { origin = url, site = 'same-origin', agent = 'test' } = {}) {
    Object.assign(this, { url, cookie: '', csrf: '', headers: { origin, 'sec-fetch-site': site, 'user-agent': agent } })
  }

  async send(method, path, body, headers = {}) {
    const sent = { ...this.headers, ...headers }
    if (this.cookie) sent.cookie = this.cookie
    if (this.csrf && method !== 'GET' && !('x-cloch-csrf' in sent)) sent['x-cloch-csrf'] = this.csrf
    const isJson = body !== undefined && !(body instanceof Uint8Array)
    if (isJson) sent['content-type'] = 'application/json'
    for (const name of Object.keys(sent)) if (sent[name] === null) delete sent[name]
    const response = await fetch(`${this.url}/_/api${path}`, {
      method,
      headers: sent,
      body: isJson ? JSON.stringify(body) : body,
      redirect: 'manual',
    })
    const cookie = response.headers.get('set-cookie')
    if (cookie) {
      this.setCookie = cookie
      this.cookie = cookie.split(';')[0]
    }
    const text = await response.text()
    const json = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined
    if (json?.csrf) this.csrf = json.csrf
    return { status: response.status, json, text, headers: response.headers }
  }

  get = (path, headers) => this.send('GET', path, undefined, headers)
  post = (path, body = {}, headers) => this.send('POST', path, body, headers)
}

const is = (answer, status, code) => {
  assert.equal(answer.status, status, answer.text)
  if (code) assert.equal(answer.json.code, code, answer.text)
  return answer.json
}

const signedIn = async (email, password = PASSWORD, more = {}) => {
  const browser = new Browser(server.url)
  is(await browser.post('/session', { email, password, ...more }), 200)
  return browser
}

const tokenOf = (link) => link.split('#token=')[1]

/** Creates an operator with the given role through an invitation by the owner. */
const operator = async (email, role) => {
  const { link, id } = is(await owner.post('/operators', { email, role }), 200)
  const browser = new Browser(server.url)
  is(await browser.post('/welcome', { token: tokenOf(link), name: role, password: PASSWORD }), 200)
  return Object.assign(browser, { id })
}

/** Returns the TOTP code (RFC 6238) for a time. */
const totp = (secret, at = Date.now()) => {
  const bits = [...secret].map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)))
  const mac = createHmac('sha1', key).update(counter).digest()
  const number = mac.readUInt32BE(mac[19] & 15) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}

before(async () => {
  server = await startProject({
    from: null,
    files: {
      'migrations/20260101000000_notes.sql': `
        create table public.notes (id bigint generated always as identity primary key, owner uuid default auth.uid(), body text not null);
        alter table public.notes enable row level security;
        create policy "own notes" on public.notes for select to authenticated using (owner = auth.uid());
        grant select, insert on public.notes to anon, authenticated;
        insert into public.notes (body) values ('<script>alert(1)</script>');`,
    },
  })
})

after(() => server?.remove())

test('nobody can sign in before the first operator exists', async () => {
  const stranger = new Browser(server.url)
  const refused = is(await stranger.get('/session'), 401, 'signed_out')
  assert.equal(refused.details.first_operator, true)
  is(await stranger.post('/session', { email: 'a@b.example', password: PASSWORD }), 401, 'invalid_credentials')
  for (const token of ['', 'x', 'x'.repeat(5000), "' or 1=1 --"]) {
    is(await stranger.post('/welcome/check', { token }), 404, 'not_found')
    is(await stranger.post('/welcome', { token, email: 'a@b.example', password: PASSWORD }), 404, 'not_found')
  }
})

test('the link for the first operator is not in the output of a start without a terminal, and works once', async () => {
  assert.ok(!server.output().includes('token='), 'a log keeps no link')
  const token = tokenOf(server.keys.DASHBOARD_LINK)
  assert.match(server.keys.DASHBOARD_LINK, /\/_\/welcome#token=[\w-]{43}$/)
  const elsewhere = new Browser(server.url, { origin: 'https://evil.example', site: 'cross-site' })
  is(await elsewhere.post('/welcome', { token, email: 'eve@evil.example', password: PASSWORD }), 403, 'cross_site')
  const browser = new Browser(server.url)
  assert.deepEqual(is(await browser.post('/welcome/check', { token }), 200), { kind: 'first', email: null, role: 'owner' })
  for (const [email, password] of [['no address', PASSWORD], ['ann@club.example', 'short'], ['ann@club.example', 'ann@club.example'], ['ann@club.example', 'a'.repeat(300)]]) {
    is(await browser.post('/welcome', { token, email, password }), 400, 'bad_request')
  }
  const both = await Promise.all([1, 2].map(() => new Browser(server.url).post('/welcome', { token, email: 'ann@club.example', name: 'Ann', password: PASSWORD })))
  assert.deepEqual(both.map((answer) => answer.status).sort(), [200, 404], 'of two at once one is the first operator')
  is(await browser.post('/welcome/check', { token }), 404, 'not_found')
  owner = await signedIn('ANN@club.example')
  assert.equal(is(await owner.get('/session'), 200).operator.role, 'owner')
})

test('the cookie is for this site, these paths and no script', async () => {
  assert.match(owner.setCookie, /^cloch-dashboard=[\w-]{43}; Path=\/_; Max-Age=43200; HttpOnly; SameSite=Strict$/)
  const { headers } = await owner.get('/project')
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('access-control-allow-origin'), null)
  assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin')
})

test('the project’s own keys and tokens give no access', async () => {
  const made = await fetch(`${server.url}/auth/v1/admin/users`, {
    method: 'POST',
    headers: { apikey: server.serviceKey, authorization: `Bearer ${server.serviceKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'user@club.example', password: PASSWORD, email_confirm: true }),
  })
  assert.equal(made.status, 200)
  const signedInUser = await fetch(`${server.url}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { apikey: server.anonKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'user@club.example', password: PASSWORD }),
  })
  const { access_token: userToken } = await signedInUser.json()
  const keys = [server.anonKey, server.serviceKey, server.keys.SECRET_KEY, server.keys.PUBLISHABLE_KEY, server.keys.SUPABASE_ACCESS_TOKEN, userToken]
  for (const key of keys) {
    assert.ok(key)
    for (const headers of [{ apikey: key, authorization: `Bearer ${key}` }, { cookie: `cloch-dashboard=${key}` }]) {
      is(await new Browser(server.url).get('/users', headers), 401, 'signed_out')
      is(await new Browser(server.url).post('/project/keys', {}, headers), 401, 'signed_out')
    }
  }
  is(await new Browser(server.url).post('/session', { email: 'user@club.example', password: PASSWORD }), 401, 'invalid_credentials')
})

test('a stolen cookie is of no use to another site', async () => {
  const foreign = [
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
    { origin: null, 'sec-fetch-site': 'cross-site' },
    { origin: `${server.url}.evil.example`, 'sec-fetch-site': null },
    { origin: null, 'sec-fetch-site': 'same-site' },
  ]
  for (const headers of foreign) {
    is(await owner.get('/session', headers), 403, 'cross_site')
    is(await owner.post('/project/keys', {}, headers), 403, 'cross_site')
  }
  // An HTML form cannot send the header, and a page of another site cannot read the token.
  for (const csrf of [null, '', 'x', owner.cookie.split('=')[1]]) {
    is(await owner.post('/project/keys', {}, { 'x-cloch-csrf': csrf }), 403, 'csrf')
  }
  const form = await owner.post('/project/keys', {}, { 'x-cloch-csrf': null, 'content-type': 'text/plain' })
  is(form, 403, 'csrf')
  const other = await signedIn('ann@club.example')
  is(await owner.post('/project/keys', {}, { 'x-cloch-csrf': other.csrf }), 403, 'csrf')
  is(await other.send('DELETE', '/session'), 204)
})

test('a session that has ended stays ended', async () => {
  const browser = await signedIn('ann@club.example')
  const { cookie, csrf } = browser
  is(await browser.send('DELETE', '/session'), 204)
  const thief = Object.assign(new Browser(server.url), { cookie, csrf })
  is(await thief.get('/project'), 401, 'signed_out')
  const [one, two] = [await signedIn('ann@club.example'), await signedIn('ann@club.example')]
  is(await one.send('DELETE', '/session/others'), 204)
  is(await two.get('/project'), 401, 'signed_out')
  owner = one
  const twice = Object.assign(new Browser(server.url), { cookie: `${owner.cookie}; ${owner.cookie}` })
  is(await twice.get('/project'), 401, 'signed_out')
})

test('each role does what it may, and no more', async () => {
  const viewer = await operator('viv@club.example', 'viewer')
  const developer = await operator('dev@club.example', 'developer')
  const { users } = is(await viewer.get('/users'), 200)
  const { id } = users[0]
  // Tries every change that the OpenAPI description lists. The server refuses all changes to viewers, and the actions of owners to developers.
  const { paths } = is(await viewer.get('/openapi.json'), 200)
  let tried = 0
  for (const [path, methods] of Object.entries(paths)) {
    const at = path.replace(/\{(id|session|factor|identity)\}/g, id).replace(/\{version\}/g, '1').replace(/\{\w+\}/g, 'x')
    for (const [method, operation] of Object.entries(methods)) {
      const needed = operation['x-cloch-role']
      if (method === 'parameters' || !needed) continue
      is(await new Browser(server.url).send(method.toUpperCase(), at, method === 'get' ? undefined : {}), 401, 'signed_out')
      if (needed !== 'viewer') is(await viewer.send(method.toUpperCase(), at, method === 'get' ? undefined : {}), 403, 'forbidden')
      if (needed === 'owner') is(await developer.send(method.toUpperCase(), at, method === 'get' ? undefined : {}), 403, 'forbidden')
      tried += 1
    }
  }
  assert.ok(tried > 50, `${tried} endpoints`)
  assert.equal(is(await viewer.get('/project'), 200).inbox_url, null)
  const keys = is(await owner.post('/project/keys'), 200)
  assert.equal(keys.service_role_key, server.serviceKey)
})

test('an operator who is disabled or gets a lower role loses the rights at once', async () => {
  const browser = await operator('gone@club.example', 'developer')
  is(await owner.send('PATCH', `/operators/${browser.id}`, { role: 'viewer' }), 200)
  is(await browser.post('/users', { email: 'x@club.example' }), 403, 'forbidden')
  is(await owner.send('PATCH', `/operators/${browser.id}`, { disabled: true }), 200)
  is(await browser.get('/project'), 401, 'signed_out')
  is(await browser.post('/session', { email: 'gone@club.example', password: PASSWORD }), 401, 'invalid_credentials')
  is(await owner.post(`/operators/${browser.id}/link`), 404, 'not_found')
  const { operators } = is(await owner.get('/operators'), 200)
  const me = operators.find((one) => one.role === 'owner')
  for (const change of [{ role: 'viewer' }, { disabled: true }]) is(await owner.send('PATCH', `/operators/${me.id}`, change), 409, 'conflict')
  is(await owner.send('DELETE', `/operators/${me.id}`), 409, 'conflict')
  is(await owner.post('/operators', { email: 'ANN@CLUB.example', role: 'viewer' }), 409, 'conflict')
})

test('a link is valid for one operator, once, until a newer link is created', async () => {
  const { link, id } = is(await owner.post('/operators', { email: 'new@club.example', role: 'viewer' }), 200)
  const { link: newer } = is(await owner.post(`/operators/${id}/link`), 200)
  const browser = new Browser(server.url)
  is(await browser.post('/welcome/check', { token: tokenOf(link) }), 404, 'not_found')
  assert.deepEqual(is(await browser.post('/welcome/check', { token: tokenOf(newer) }), 200), { kind: 'invite', email: 'new@club.example', role: 'viewer' })
  // E-mail address and role come from the invitation. The server ignores those in the request.
  const session = is(await browser.post('/welcome', { token: tokenOf(newer), email: 'eve@evil.example', role: 'owner', password: PASSWORD }), 200)
  assert.deepEqual([session.operator.email, session.operator.role], ['new@club.example', 'viewer'])
  is(await browser.post('/welcome', { token: tokenOf(newer), password: PASSWORD }), 404, 'not_found')
  const { link: reset } = is(await owner.post(`/operators/${id}/link`), 200)
  is(await new Browser(server.url).post('/welcome', { token: tokenOf(reset), password: 'another good one' }), 200)
  is(await browser.get('/session'), 401, 'signed_out')
  is(await new Browser(server.url).post('/session', { email: 'new@club.example', password: PASSWORD }), 401, 'invalid_credentials')
})

test('one-time codes: a wrong code, an old code and a missing code are refused', async () => {
  const browser = await operator('codes@club.example', 'viewer')
  is(await browser.post('/session/totp', { password: 'wrong password' }), 403, 'invalid_password')
  const { secret, uri } = is(await browser.post('/session/totp', { password: PASSWORD }), 200)
  assert.match(uri, /^otpauth:\/\/totp\//)
  is(await browser.post('/session/totp/confirm', { code: '000000' }), 400, 'wrong_code')
  is(await browser.post('/session/totp/confirm', { code: totp(secret) }), 204)
  const next = new Browser(server.url)
  const given = { email: 'codes@club.example', password: PASSWORD }
  is(await next.post('/session', given), 401, 'totp_required')
  is(await next.post('/session', { ...given, password: 'wrong password', code: totp(secret) }), 401, 'invalid_credentials')
  is(await next.post('/session', { ...given, code: totp(secret) }), 401, 'invalid_credentials') // used to confirm
  is(await next.post('/session', { ...given, code: totp(secret, Date.now() + 30_000) }), 200)
  is(await next.post('/session', { ...given, code: totp(secret, Date.now() + 30_000) }), 401, 'invalid_credentials')
})

test('guesses of passwords are stopped without locking out other clients', async () => {
  await operator('guessed@club.example', 'viewer')
  const guesser = new Browser(server.url)
  let stopped
  for (let guess = 0; guess < 40 && !stopped; guess += 1) {
    const answer = await guesser.post('/session', { email: 'guessed@club.example', password: `guess number ${guess}` })
    if (answer.status === 429) stopped = { guess, answer }
    else is(answer, 401, 'invalid_credentials')
  }
  assert.ok(stopped && stopped.guess <= 30, 'a network has thirty attempts in a quarter of an hour')
  assert.ok(Number(stopped.answer.headers.get('retry-after')) > 0)
  // While the limit is exceeded, the server also refuses the right password. Existing sessions continue to work.
  is(await guesser.post('/session', { email: 'guessed@club.example', password: PASSWORD }), 429, 'too_many_requests')
  is(await owner.get('/project'), 200)
})

test('the size of input is limited, and errors have one format', async () => {
  is(await owner.get('/users?search=%00'), 400, 'bad_request')
  is(await owner.post('/operators', { email: 'nul\u0000@club.example', role: 'viewer' }), 400, 'bad_request')
  is(await owner.post('/operators', { email: 'a@b.example', role: 'god' }), 400, 'bad_request')
  is(await owner.post('/why', 'x'.repeat(2 << 20)), 413, 'too_large')
  is(await owner.get('/users/not-a-uuid'), 404, 'not_found')
  is(await owner.get('/nothing'), 404, 'not_found')
  is(await owner.send('PUT', '/project', {}), 405, 'method_not_allowed')
  is(await owner.get("/policies?schema=';drop schema public;--"), 200)
  is(await owner.get('/cron/99999999999999999999/runs'), 404, 'not_found')
})

test('users: searched, created, changed, banned, signed out and deleted', async () => {
  const made = is(await owner.post('/users', { email: 'mary@club.example', password: PASSWORD, email_confirm: true, user_metadata: { name: '<img src=x onerror=alert(1)>' } }), 201)
  is(await owner.post('/users', { email: 'mary@club.example' }), 422)
  is(await owner.post('/users', { email: 'id@club.example', id: made.id }), 400, 'bad_request')
  for (const search of ['mary@', made.id, 'onerror']) {
    const { users, total } = is(await owner.get(`/users?search=${encodeURIComponent(search)}`), 200)
    assert.deepEqual([users.map((user) => user.id), total], [[made.id], 1], search)
  }
  assert.equal(is(await owner.get('/users?search=%25'), 200).total, 0, 'a wildcard is a letter')
  const session = async () =>
    (await fetch(`${server.url}/auth/v1/token?grant_type=password`, {
      method: 'POST',
      headers: { apikey: server.anonKey, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'mary@club.example', password: PASSWORD }),
    })).json()
  await session()
  const shown = is(await owner.get(`/users/${made.id}`), 200)
  assert.deepEqual([shown.sessions.length, shown.identities.length], [1, 1])
  assert.ok(!JSON.stringify(shown).includes('$2'), 'no hash')
  is(await owner.send('DELETE', `/users/${made.id}/identities/${shown.identities[0].id}`), 409, 'conflict')
  is(await owner.send('DELETE', `/users/${made.id}/sessions`), 204)
  assert.equal(is(await owner.get(`/users/${made.id}`), 200).sessions.length, 0)
  is(await owner.send('PUT', `/users/${made.id}`, { ban_duration: '24h' }), 200)
  assert.equal((await session()).error_code, 'user_banned')
  const { link } = is(await owner.post(`/users/${made.id}/link`, { type: 'magiclink' }), 200)
  assert.match(link, /\/auth\/v1\/verify\?/)
  is(await owner.send('DELETE', `/users/${made.id}`), 204)
  is(await owner.get(`/users/${made.id}`), 404, 'not_found')
})

test('problems of the schema, access of roles, and explanations of requests', async () => {
  const { lints } = is(await owner.get('/advisors'), 200)
  assert.ok(Array.isArray(lints))
  const { roles, tables } = is(await owner.get('/policies?schema=public'), 200)
  assert.deepEqual(roles.slice(0, 3), ['anon', 'authenticated', 'service_role'])
  const notes = tables.find((table) => table.name === 'notes')
  assert.equal(notes.matrix.anon.SELECT.access, 'never')
  assert.deepEqual(notes.matrix.authenticated.SELECT, { access: 'policies', grant: 'table', policies: ['own notes'] })
  assert.equal(notes.matrix.service_role.SELECT.access, 'all')
  const views = `create view public.noted as select * from public.notes;
    create view public.noted_by_me with (security_invoker = on) as select * from public.notes;`
  assert.equal(is(await owner.post('/sql/run', { sql: views, as: { role: 'postgres' }, read_only: false }), 200).error, null)
  const withViews = is(await owner.get('/policies?schema=public'), 200).tables
  const access = (name) => withViews.find((table) => table.name === name).matrix.anon.SELECT.access
  assert.deepEqual([access('noted'), access('noted_by_me')], ['owner', 'invoker'])
  const { explanation, text } = is(await owner.post('/why', { as: { role: 'anon' }, method: 'GET', path: '/rest/v1/notes' }), 200)
  assert.deepEqual([explanation.outcome, explanation.cause], ['hidden', 'no_policy'])
  assert.match(text, /no permissive policy/)
  const empty = await fetch(`${server.url}/rest/v1/notes?select=id`, { headers: { apikey: server.anonKey } })
  const id = empty.headers.get('x-request-id')
  assert.equal(empty.headers.get('x-cloch-why'), `${server.url}/_/why?request=${id}`)
  const request = is(await owner.get(`/why/${id}`), 200)
  assert.deepEqual([request.method, request.path, request.status], ['GET', '/rest/v1/notes?select=id', 200])
  const { as, method, path } = request
  assert.equal(is(await owner.post('/why', { as, method, path }), 200).explanation.outcome, 'hidden')
  is(await owner.get('/why/unknown'), 404, 'not_found')
  is(await owner.post('/why', { as: { claims: { role: 'postgres' } }, method: 'GET', path: '/rest/v1/notes' }), 400, 'bad_request')
  is(await owner.post('/why', { as: { role: 'anon' }, method: 'GET', path: '/rest/v1/nothing' }), 400)
  const tried = (using, as = { role: 'anon' }) => owner.post('/policies/try', { schema: 'public', table: 'notes', using, as })
  assert.deepEqual(is(await tried('body is not null'), 200).rows.map((row) => row.using), [true])
  assert.deepEqual(is(await tried('owner = auth.uid()'), 200).rows.map((row) => row.using), [null])
  assert.match(is(await tried('(1 / 0) = 1'), 200).rows[0].error ?? '', /division by zero/)
  for (const bad of ["(select count(*) from pg_sleep(0)) > 0; delete from notes", 'true) -- ', "nextval('public.notes_id_seq') > 0"]) {
    const answer = is(await tried(bad), 200)
    assert.ok(answer.rows.every((row) => 'error' in row || row.using === true), bad)
  }
  const rows = await fetch(`${server.url}/rest/v1/notes?select=id`, { headers: { apikey: server.serviceKey, authorization: `Bearer ${server.serviceKey}` } })
  assert.equal((await rows.json()).length, 1, 'nothing was deleted')
})

test('logs: filtered, and live', async () => {
  await fetch(`${server.url}/rest/v1/nothing`, { headers: { apikey: server.anonKey } })
  const { lines } = is(await owner.get('/logs?api=rest&status=4xx&limit=5'), 200)
  assert.deepEqual([lines[0].api, lines[0].status, lines[0].role], ['rest', 404, 'anon'])
  const same = is(await owner.get(`/logs?request_id=${lines[0].request_id}`), 200)
  assert.ok(same.lines.length >= 1 && same.lines.every((line) => line.request_id === lines[0].request_id))
  const areas = (answer) => new Set(is(answer, 200).lines.map((line) => line.api))
  assert.ok(!areas(await owner.get('/logs')).has('dashboard'), 'its own requests would bury the others')
  assert.deepEqual([...areas(await owner.get('/logs?api=dashboard'))], ['dashboard'])
  const abort = new AbortController()
  const live = await fetch(`${server.url}/_/api/logs/stream?api=rest`, { headers: { ...owner.headers, cookie: owner.cookie }, signal: abort.signal })
  assert.match(live.headers.get('content-type'), /^text\/event-stream/)
  await fetch(`${server.url}/rest/v1/notes?select=id`, { headers: { apikey: server.anonKey } })
  let text = ''
  for await (const chunk of live.body) {
    text += Buffer.from(chunk).toString()
    if (text.includes('event: line')) break
  }
  abort.abort()
  assert.match(text, /"route":"\/rest\/v1"/)
})

test('files: browsers run no content, whatever its name or type', async () => {
  is(await owner.post('/files/buckets', { id: 'box', public: false }), 201)
  const script = new TextEncoder().encode('<script>alert(1)</script>')
  const path = '/files/buckets/box/objects/a%20b/evil.html'
  is(await owner.send('PUT', '/files/buckets/box/objects/a%22b.html', script), 400)
  is(await owner.send('PUT', path, script, { 'content-type': 'text/html' }), 200)
  is(await owner.send('PUT', path, script, { 'content-type': 'text/html' }), 409)
  is(await owner.send('PUT', `${path}?upsert=true`, script, { 'content-type': 'text/html' }), 200)
  is(await owner.send('PUT', '/files/buckets/box/objects/..%2F..%2Fx', script), 400)
  const read = await owner.get(path)
  assert.equal(read.text, '<script>alert(1)</script>')
  assert.match(read.headers.get('content-security-policy') ?? '', /sandbox/)
  assert.equal(read.headers.get('x-content-type-options'), 'nosniff')
  is(await new Browser(server.url).get(path), 401, 'signed_out')
  const listed = is(await owner.post('/files/buckets/box/list', { prefix: 'a b' }), 200)
  assert.deepEqual(listed.map((entry) => entry.name), ['evil.html'])
  const buckets = is(await owner.get('/files/buckets'), 200)
  assert.deepEqual([buckets[0].objects, buckets[0].bytes], [1, script.length])
  is(await owner.post('/files/buckets/box/move', { from: 'a b/evil.html', to: 'c.txt' }), 200)
  const { url } = is(await owner.post('/files/buckets/box/sign', { path: 'c.txt', expires_in: 60 }), 200)
  assert.equal(await (await fetch(url)).text(), '<script>alert(1)</script>')
  is(await owner.send('DELETE', '/files/buckets/box'), 409)
  is(await owner.post('/files/buckets/box/remove', { paths: ['c.txt'] }), 200)
  is(await owner.send('DELETE', '/files/buckets/box'), 204)
})

test('functions, mail, cron, queues, backups, settings and realtime respond', async () => {
  assert.ok(Array.isArray(is(await owner.get('/functions'), 200)))
  is(await owner.get('/functions/..%2F..%2Fsecrets'), 404)
  is(await owner.post('/functions/secrets', { name: 'SUPABASE_URL', value: 'x' }), 400)
  is(await owner.post('/functions/secrets', { name: 'MODEL', value: 'hidden value' }), 204)
  const secrets = await owner.get('/functions/secrets')
  assert.deepEqual([is(secrets, 200)[0].name, secrets.text.includes('hidden value')], ['MODEL', false])
  is(await owner.send('DELETE', '/functions/secrets/MODEL'), 204)
  is(await owner.post('/users/invite', { email: 'guest@club.example' }), 201)
  const { messages } = is(await owner.get('/mail?to=guest@club.example'), 200)
  assert.deepEqual([messages.length, messages[0].state], [1, 'kept'])
  assert.ok(is(await owner.get(`/mail/${messages[0].id}`), 200).text.length > 0)
  const page = await owner.get(`/mail/${messages[0].id}/html`)
  assert.match(page.headers.get('content-security-policy'), /sandbox/)
  is(await owner.send('DELETE', `/mail/${messages[0].id}`), 204)
  assert.equal(is(await owner.get('/cron'), 200).available, true)
  assert.equal(is(await owner.get('/queues'), 200).available, true)
  is(await owner.get('/queues/x/messages'), 404, 'not_found')
  assert.equal(is(await owner.get('/backups'), 200).enabled, false)
  is(await owner.post('/backups/base'), 409, 'conflict')
  const settings = await owner.get('/settings')
  assert.equal(settings.text.includes(server.keys.JWT_SECRET), false)
  const all = is(settings, 200).groups.flatMap((group) => group.settings)
  assert.deepEqual(all.find((one) => one.key === 'api.port').source, 'config.toml')
  assert.equal(all.find((one) => one.key === 'api.max_rows').source, 'default')
  is(await owner.post('/realtime/token', { as: { role: 'postgres' } }), 400, 'bad_request')
  const { token } = is(await owner.post('/realtime/token', { as: { role: 'anon' }, seconds: 60 }), 200)
  assert.equal(token.split('.').length, 3)
  // The token is valid only for Realtime. Therefore developers do not get a key of the project.
  const server_role = is(await owner.post('/realtime/token', { as: { role: 'service_role' }, seconds: 60 }), 200).token
  for (const path of ['/auth/v1/admin/users', '/auth/v1/user', '/rest/v1/notes', '/storage/v1/bucket', '/realtime/v1/api/broadcast']) {
    const response = await fetch(`${server.url}${path}`, { headers: { apikey: server.anonKey, authorization: `Bearer ${server_role}` } })
    assert.ok([400, 401, 403, 404, 405].includes(response.status), `${path}: ${response.status} ${await response.text()}`)
  }
  const { createClient } = await import('@supabase/supabase-js')
  const client = createClient(server.url, server.anonKey, { auth: { persistSession: false } })
  client.realtime.setAuth(server_role)
  const joined = await new Promise((done) => client.channel('inspected', { config: { private: true } }).subscribe((status) => done(status)))
  assert.equal(joined, 'SUBSCRIBED')
  await client.removeAllChannels()
})

test('actions are recorded without passwords and tokens', async () => {
  const { entries } = is(await owner.get('/audit?limit=200'), 200)
  const actions = new Set(entries.map((entry) => entry.action))
  for (const action of ['session.begin', 'operators.invite', 'users.create', 'users.list', 'project.keys', 'files.upload']) {
    assert.ok(actions.has(action), action)
  }
  const refused = entries.find((entry) => entry.action === 'session.begin' && entry.status === 401)
  assert.ok(refused.email)
  const text = JSON.stringify(entries)
  for (const secret of [PASSWORD, owner.csrf, owner.cookie.split('=')[1], server.serviceKey]) assert.ok(!text.includes(secret))
  const first = is(await owner.get('/audit?action=operators.&limit=1'), 200)
  assert.ok(first.entries[0].action.startsWith('operators.') && first.next === first.entries[0].id)
})

test('a disabled dashboard does not exist', async () => {
  const off = await startProject({ from: null, files: { 'cloch.toml': '[dashboard]\nenabled = false\n' } })
  try {
    assert.equal((await fetch(`${off.url}/_/api/session`)).status, 404)
    assert.equal((await fetch(`${off.url}/_/`)).status, 404)
    assert.equal(off.keys.DASHBOARD_LINK, undefined)
  } finally {
    await off.remove()
  }
})
