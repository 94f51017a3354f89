/** Invalid and forged requests: the client understands each response, and the server continues to run. */
import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { sleep, startProject } from '../support/program.mjs'
import { signToken } from '../support/tokens.mjs'

let cloch
before(async () => (cloch = await startProject()))
after(() => cloch?.remove())

const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
const signed = (header, claims, secret) => signToken(secret, claims, header)
const rest = (path, { token, headers = {}, ...options } = {}) =>
  fetch(`${cloch.url}/rest/v1/${path}`, {
    ...options,
    headers: { apikey: cloch.anonKey, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
  })

test('forged and used tokens are refused', async () => {
  const service = { role: 'service_role', exp: 4_000_000_000 }
  const jwks = await (await fetch(`${cloch.url}/auth/v1/.well-known/jwks.json`)).json()
  const key = jwks.keys[0]
  const pem = createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
  const secret = cloch.keys.JWT_SECRET
  const forged = {
    'no algorithm': `${part({ alg: 'none', typ: 'JWT' })}.${part(service)}.`,
    'another secret': signed({ alg: 'HS256' }, service, 'a secret that is not ours, but long'),
    'the public key as secret (PEM)': signed({ alg: 'HS256' }, service, pem),
    'the public key as secret (JWK)': signed({ alg: 'HS256', kid: key.kid }, service, JSON.stringify(key)),
    'an unknown key': `${part({ alg: 'ES256', kid: 'unknown' })}.${part(service)}.${'A'.repeat(86)}`,
    'an expired token': signed({ alg: 'HS256' }, { role: 'service_role', exp: 1 }, secret),
    'no token at all': '',
    'half a token': 'abc.def',
  }
  for (const [what, token] of Object.entries(forged)) {
    const answer = await rest('schools', { token })
    assert.equal(answer.status, 401, what)
    assert.match((await answer.json()).code, /^PGRST30[0-3]$/, what)
  }
  for (const role of ['supabase_admin', 'postgres', 'supabase_auth_admin', 'no_such_role', 'pg_read_all_data']) {
    const answer = await rest('schools', { token: signed({ alg: 'HS256' }, { role, exp: 4_000_000_000 }, secret) })
    assert.ok([401, 403].includes(answer.status), `${role}: ${answer.status}`)
    assert.ok((await answer.json()).code, role)
  }
})

test('unknown names and wrong values have a clear error', async () => {
  const token = cloch.serviceKey
  const cases = [
    ['no_such_table', {}, 404, 'PGRST205'],
    ['schools?select=no_such_column', {}, 400, '42703'],
    ['schools?name=fits.x', {}, 400, 'PGRST100'],
    ['schools?id=eq.abc', {}, 400, '22P02'],
    ['schools?select=name,no_such_relation(*)', {}, 400, 'PGRST200'],
    ['rpc/no_such_function', { method: 'POST', body: '{}' }, 404, 'PGRST202'],
    ['schools', { method: 'POST', body: '{"name":' }, 400, 'PGRST102'],
    ['schools', { method: 'POST', body: '{"name":"x","nonsense":1}' }, 400, 'PGRST204'],
    ['schools', { method: 'DELETE' }, 400, '21000'],
  ]
  for (const [path, options, status, code] of cases) {
    const answer = await rest(path, { token, ...options, headers: { 'content-type': 'application/json' } })
    const body = await answer.json()
    assert.deepEqual([path, answer.status, body.code], [path, status, code])
    assert.equal(typeof body.message, 'string')
  }
})

test('names with quotes and emoji are accepted as names', async () => {
  const service = createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } })
  const name = `Robert'); drop table schools;-- "ǅ" 🎻 \\`
  const { data, error } = await service.from('schools').insert({ name }).select('name').single()
  assert.equal(error, null)
  assert.equal(data.name, name)
  const found = await service.from('schools').select('name').eq('name', name)
  assert.deepEqual(found.data, [{ name }])
  const { error: named } = await service.storage
    .from('youth-awards-submissions')
    .upload(`artist/an entry's "drawing" (1)/1-x.pdf`, new Blob(['%PDF-1.4'], { type: 'application/pdf' }))
  assert.ok(named === null || named.message, 'a clear answer either way')
})

test('of a thousand files a visitor can upload the hourly limit, and the server responds meanwhile', async () => {
  const visitor = createClient(cloch.url, cloch.anonKey)
  const bucket = visitor.storage.from('youth-awards-submissions')
  let next = 0
  const failures = []
  const upload = async () => {
    while (next < 1000) {
      const mine = (next += 1)
      const file = new Blob([`%PDF-1.4 ${mine}`], { type: 'application/pdf' })
      const { error } = await bucket.upload(`artist/a-thousand/${1_700_000_000_000 + mine}-file.pdf`, file)
      if (error) failures.push(error.message)
    }
  }
  await Promise.all(Array.from({ length: 16 }, upload))
  // The club's cloch.toml sets files_per_hour to 600.
  assert.deepEqual(new Set(failures), new Set(['Too many uploads from this network. Please try again later.']))
  const service = createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } })
  const { data } = await service.storage.from('youth-awards-submissions').list('artist/a-thousand', { limit: 2000 })
  assert.equal(data.length, 1000 - failures.length)
  assert.ok(data.length > 500 && data.length <= 600, `${data.length} files`)
})

test('long requests are answered, and requests that are too long are refused', async () => {
  const service = createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } })
  // The status is 414 for a URL above 64 KB, and 431 for request headers above 80 KB.
  for (const [count, refusal] of [[2000, 414], [10_000, 431]]) {
    const { status, error } = await service.from('schools').select().in('id', Array.from({ length: count }, () => crypto.randomUUID()))
    assert.equal(status, refusal, `${count} ids`)
    assert.ok(error)
  }
  // The longest URL that the HTTP library accepts. The error must not contain the whole URL.
  const many = await service.from('schools').select('id').in('id', Array.from({ length: 1500 }, () => crypto.randomUUID()))
  assert.deepEqual([many.status, many.data], [200, []])
  const { status, error } = await service.from('schools').select().setHeader('x-long', 'x'.repeat(900_000))
  assert.equal(status, 431)
  assert.ok(error)
  assert.equal((await service.from('schools').select('id').limit(1)).error, null)
})

test('a client that is still sending when it is refused gets the response', async () => {
  const size = 8 * 1024 * 1024
  const head = (path, more) => [`POST ${path} HTTP/1.1`, 'host: cloch', `apikey: ${cloch.anonKey}`, ...more, '', ''].join('\r\n')
  const form = ['--x', 'content-disposition: form-data; name=""; filename="a.txt"', 'content-type: text/plain', '', ''].join('\r\n')
  const uploads = {
    'a file': head('/storage/v1/object/none/a.txt', ['content-type: text/plain', `content-length: ${size}`]),
    'a form': head('/storage/v1/object/none/a.txt', ['content-type: multipart/form-data; boundary=x', `content-length: ${size + form.length}`]) + form,
    'a sign-up': head('/auth/v1/signup', ['content-type: application/json', `content-length: ${size}`]),
  }
  for (const [what, begin] of Object.entries(uploads)) {
    const client = connect(cloch.port, '127.0.0.1').pause()
    const failed = new Promise((_, reject) => client.once('error', reject))
    client.write(begin)
    await sleep(100)
    const sent = new Promise((done) => client.write(Buffer.alloc(size), done))
    await Promise.race([sent, failed])
    await sleep(100)
    const answer = new Promise((done) => {
      let text = ''
      client.on('data', (bytes) => (text += bytes)).once('end', () => done(text)).resume()
    })
    assert.match(await Promise.race([answer, failed]), /^HTTP\/1\.1 4\d\d .*\{.*\}$/s, what)
    client.destroy()
  }
})

test('malformed paths, bodies and headers never end the program', async () => {
  const paths = ['/rest/v1/%00', '/rest/v1/%ff%fe', '/auth/v1/%2e%2e/%2e%2e', '/storage/v1/object/%2e%2e%2f%2e%2e%2fetc/passwd',
    '/functions/v1/', '/functions/v1/%0d%0a', '/_/../secrets.toml', '/assets/..%2f..%2fCargo.toml', '/%2e%2e/%2e%2e/etc/passwd']
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await fetch(cloch.url + path, { method, body: method === 'GET' ? undefined : '\u0000{', headers: { apikey: cloch.anonKey } })
      const text = await answer.text()
      assert.ok(answer.status < 500, `${method} ${path}: ${answer.status} ${text}`)
      assert.doesNotMatch(text, /root:x:0|jwt_secret|\[workspace\]/)
    }
  }
  assert.equal((await fetch(`${cloch.url}/health`)).status, 200)
})
