/**
 * Operators' passkeys at /_/api. It first tests refusals (other origins, replayed answers, challenges of other users, users who were not verified,
 * cloned authenticators, removal of the last way to sign in). Then it tests adding, signing in, confirming, renaming, removing, and removing the
 * password.
 */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Authenticator } from '../support/authenticator.mjs'
import { Operator, firstOperator, invited } from '../support/dashboard.mjs'
import { startProject } from '../support/program.mjs'
import { totp } from '../support/totp.mjs'

const password = 'Greenock pier at dusk'
let server
let owner
let origin

before(async () => {
  server = await startProject({ from: null })
  owner = await firstOperator(server)
  origin = `http://localhost:${server.port}`
})
after(() => server?.remove())

const is = (answer, status, code) => {
  assert.equal(answer.status, status, answer.text)
  if (code) assert.equal(answer.json.code, code, answer.text)
  return answer.json
}

/** Registers a passkey for the operator. Returns the passkey. */
async function added(operator, name) {
  const passkey = new Authenticator(origin)
  const asked = await operator.must('POST', '/session/passkeys/options', { password })
  const made = await operator.must('POST', '/session/passkeys', { challenge_id: asked.challenge_id, credential: passkey.create(asked.options), name })
  return Object.assign(passkey, { row: made })
}

const ask = async (operator = new Operator(server.url)) => operator.must('POST', '/session/passkey/options')
const signIn = async (passkey, wrong, operator = new Operator(server.url)) => {
  const { challenge_id, options } = await ask(operator)
  return operator.send('POST', '/session/passkey', { challenge_id, credential: passkey.get(options, wrong) })
}
const confirmed = async (operator, passkey, wrong) => {
  const { challenge_id, options } = await operator.must('POST', '/session/passkeys/confirm')
  return { passkey: { challenge_id, credential: passkey.get(options, wrong) } }
}

test('adding a passkey requires the session, its token and the password, and a response to its own challenge from this origin', async () => {
  const operator = await invited(owner, 'viewer', 'adds@club.example')
  is(await new Operator(server.url).send('POST', '/session/passkeys/options', { password }), 401, 'signed_out')
  is(await operator.send('POST', '/session/passkeys/options', { password }, { headers: { 'x-cloch-csrf': '' } }), 403, 'csrf')
  is(await operator.send('POST', '/session/passkeys/options', { password: 'wrong password' }), 403, 'invalid_password')
  is(await operator.send('POST', '/session/passkeys/options', {}), 400, 'bad_request')
  const begin = () => operator.must('POST', '/session/passkeys/options', { password })
  const finish = (who, { challenge_id }, credential, more) => who.send('POST', '/session/passkeys', { challenge_id, credential, ...more })
  const passkey = new Authenticator(origin)
  for (const wrong of [{ origin: 'https://evil.example' }, { origin: server.url }, { verified: false }]) {
    const asked = await begin()
    is(await finish(operator, asked, passkey.create(asked.options, wrong)), 400, 'wrong_passkey')
  }
  const asked = await begin()
  is(await finish(owner, asked, passkey.create(asked.options)), 409, 'conflict')
  is(await finish(operator, await ask(operator), passkey.create(asked.options)), 409, 'conflict')
  is(await finish(operator, asked, passkey.create(asked.options), { name: '' }), 400, 'bad_request')
  const other = await begin()
  is(await finish(operator, asked, passkey.create(other.options)), 400, 'wrong_passkey')
  is(await finish(operator, asked, passkey.create(asked.options)), 409, 'conflict')
  assert.deepEqual((await operator.must('GET', '/session/passkeys')).passkeys, [])
  is(await finish(operator, other, passkey.create(other.options), { name: 'Laptop' }), 200)
  const again = await begin()
  assert.deepEqual(again.options.excludeCredentials.map(({ id }) => id), [passkey.id.toString('base64url')])
  is(await finish(operator, again, passkey.create(again.options)), 409, 'conflict')
  const { passkeys, address } = await operator.must('GET', '/session/passkeys')
  assert.deepEqual([passkeys.map(({ name }) => name), address], [['Laptop'], `${origin}/_/`])
})

test('a sign-in with a response of another origin, challenge, owner or key, or with a used response, is refused', async () => {
  const operator = await invited(owner, 'developer', 'signs@club.example')
  const passkey = await added(operator)
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  for (const wrong of [{ origin: 'https://evil.example' }, { origin: `${origin}.evil.example` }, { origin: server.url }, { party: '127.0.0.1' }, { verified: false }, { type: 'webauthn.create' }, { key: stranger }, { user: Buffer.alloc(16).toString('base64url') }]) {
    is(await signIn(passkey, wrong), 401, 'invalid_credentials')
  }
  is(await signIn(new Authenticator(origin), { user: passkey.user }), 401, 'invalid_credentials')
  // The server refuses even the request for a challenge if it comes from a page of another site.
  is(await new Operator(server.url).send('POST', '/session/passkey/options', {}, { headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' } }), 403, 'cross_site')
  const { challenge_id, options } = await ask()
  const answer = { challenge_id, credential: passkey.get(options) }
  const first = new Operator(server.url)
  const session = is(await first.send('POST', '/session/passkey', answer), 200)
  assert.deepEqual([session.operator.email, session.operator.role, session.operator.password], ['signs@club.example', 'developer', true])
  is(await new Operator(server.url).send('POST', '/session/passkey', answer), 401, 'invalid_credentials')
  const later = await ask()
  is(await new Operator(server.url).send('POST', '/session/passkey', { ...answer, challenge_id: later.challenge_id }), 401, 'invalid_credentials')
  is(await signIn(passkey, { count: 1 }), 401, 'invalid_credentials')
  is(await first.send('GET', '/users'), 200)
  // A challenge for a sign-in cannot confirm a change. A challenge for a change cannot confirm a sign-in.
  const toConfirm = await first.must('POST', '/session/passkeys/confirm')
  is(await new Operator(server.url).send('POST', '/session/passkey', { challenge_id: toConfirm.challenge_id, credential: passkey.get(toConfirm.options, { count: 50 }) }), 401, 'invalid_credentials')
  const toSignIn = await ask()
  const proof = { passkey: { challenge_id: toSignIn.challenge_id, credential: passkey.get(toSignIn.options) } }
  is(await first.send('DELETE', `/session/passkeys/${passkey.row.id}`, proof), 403, 'invalid_passkey')
  await owner.must('PATCH', `/operators/${session.operator.id}`, { disabled: true })
  is(await signIn(passkey), 401, 'invalid_credentials')
})

test('a passkey replaces the one-time code, and its use is recorded', async () => {
  const operator = await invited(owner, 'viewer', 'codes@club.example')
  const passkey = await added(operator)
  const { secret } = await operator.must('POST', '/session/totp', { password })
  await operator.must('POST', '/session/totp/confirm', { code: totp(secret) }, 204)
  is(await new Operator(server.url).send('POST', '/session', { email: 'codes@club.example', password }), 401, 'totp_required')
  assert.equal(is(await signIn(passkey), 200).operator.totp, true)
  const { entries } = await owner.must('GET', '/audit?action=session.begin')
  assert.deepEqual([entries[0].email, entries[0].target, entries[0].status, entries[0].details], ['codes@club.example', '/session/passkey', 200, { by: 'passkey' }])
  assert.ok(entries.some(({ target, status }) => target === '/session/passkey' && status === 401))
})

test('operators can change only their own passkeys', async () => {
  const [one, two] = [await invited(owner, 'viewer', 'one@club.example'), await invited(owner, 'owner', 'two@club.example')]
  const passkey = await added(one, 'Phone')
  const at = `/session/passkeys/${passkey.row.id}`
  is(await two.send('PATCH', at, { name: 'Mine' }), 404, 'not_found')
  is(await two.send('DELETE', at, { password }), 404, 'not_found')
  is(await two.send('POST', '/session/passkeys/confirm'), 409, 'conflict')
  is(await one.send('DELETE', at, { password: 'wrong password' }), 403, 'invalid_password')
  is(await one.send('DELETE', at, {}), 400, 'bad_request')
  const foreign = await added(two)
  const { challenge_id, options } = await one.must('POST', '/session/passkeys/confirm')
  is(await one.send('DELETE', at, { passkey: { challenge_id, credential: foreign.get(options) } }), 403, 'invalid_passkey')
  is(await one.send('PATCH', at, { name: ' '.repeat(5) }), 400, 'bad_request')
  is(await one.send('PATCH', at, { name: 'x'.repeat(101) }), 400, 'bad_request')
  assert.equal((await one.must('PATCH', at, { name: 'Old phone' })).name, 'Old phone')
  is(await one.send('DELETE', at, await confirmed(one, passkey)), 204)
  is(await signIn(passkey), 401, 'invalid_credentials')
  for (let count = 0; count < 10; count += 1) await added(one)
  is(await one.send('POST', '/session/passkeys/options', { password }), 409, 'conflict')
})

test('the last way to sign in cannot be removed, and a new link resets all ways', async () => {
  const email = 'only@club.example'
  const operator = await invited(owner, 'owner', email)
  is(await operator.send('DELETE', '/session/password', { password }), 409, 'conflict')
  const [first, second] = [await added(operator), await added(operator)]
  const other = new Operator(server.url)
  is(await signIn(second, {}, other), 200)
  is(await operator.send('DELETE', '/session/password', { password: 'wrong password' }), 403, 'invalid_password')
  is(await operator.send('DELETE', '/session/password', await confirmed(operator, first)), 204)
  is(await other.send('GET', '/session'), 401, 'signed_out')
  const { operator: shown } = await operator.must('GET', '/session')
  assert.deepEqual([shown.password, shown.totp], [false, false])
  is(await new Operator(server.url).send('POST', '/session', { email, password }), 401, 'invalid_credentials')
  is(await operator.send('POST', '/session/totp', await confirmed(operator, first)), 409, 'conflict')
  is(await operator.send('DELETE', `/session/passkeys/${second.row.id}`, await confirmed(operator, first)), 204)
  is(await operator.send('DELETE', `/session/passkeys/${first.row.id}`, await confirmed(operator, first)), 409, 'conflict')
  is(await signIn(first), 200)
  const { operators } = await owner.must('GET', '/operators')
  const row = operators.find((one) => one.email === email)
  assert.deepEqual([row.invited, row.passkeys], [false, 1])
  const { link } = await owner.must('POST', `/operators/${row.id}/link`)
  const token = link.split('#token=')[1]
  assert.equal((await new Operator(server.url).must('POST', '/welcome/check', { token })).kind, 'reset')
  const back = new Operator(server.url)
  const session = await back.must('POST', '/welcome', { token, password: 'another good one' })
  assert.equal(session.operator.password, true)
  is(await signIn(first), 401, 'invalid_credentials')
  assert.deepEqual((await back.must('GET', '/session/passkeys')).passkeys, [])
})

test('the number of challenges is limited for each network', async () => {
  const alone = await startProject({ from: null })
  try {
    const statuses = []
    for (let count = 0; count < 101; count += 1) statuses.push((await new Operator(alone.url).send('POST', '/session/passkey/options')).status)
    assert.deepEqual([statuses[99], statuses[100]], [200, 429])
  } finally {
    await alone.remove()
  }
})
