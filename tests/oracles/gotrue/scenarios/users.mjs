/** A user reads and changes the own account. */
import { FAR_FUTURE, PASSWORD, UNKNOWN_ID } from '../session.mjs'

/** Requests with tokens of all kinds. */
export async function access_tokens(auth) {
  const { user } = await auth.confirmedUser('tokens@example.org')
  const claims = { sub: user.id, aud: 'authenticated', role: 'authenticated', exp: FAR_FUTURE }
  const tokens = {
    none: undefined,
    'no JWT': 'x',
    anon: auth.anon,
    service: auth.service,
    'sub is no id': auth.sign({ ...claims, sub: 'x' }),
    'unknown user': auth.sign({ ...claims, sub: UNKNOWN_ID }),
    'no sub': auth.sign({ ...claims, sub: undefined }),
    expired: auth.sign({ ...claims, exp: 1 }),
    'other audience': auth.sign({ ...claims, aud: 'other' }),
    'session is no id': auth.sign({ ...claims, session_id: 'x' }),
    'unknown session': auth.sign({ ...claims, session_id: UNKNOWN_ID }),
    'other secret': auth.sign(claims, { secret: 'other-secret-other-secret-other-secret-02' }),
    'not signed': auth.sign(claims, { header: { alg: 'none' } }),
  }
  const requests = [
    ['GET', '/user'],
    ['PUT', '/user', { data: { q: 1 } }],
    ['GET', '/reauthenticate'],
    ['POST', '/factors', { factor_type: 'totp', friendly_name: 'f' }],
    ['GET', '/user/identities/authorize?provider=github&skip_http_redirect=true'],
    ['GET', '/admin/users'],
    ['POST', '/logout', {}],
  ]
  for (const [note, token] of Object.entries(tokens)) {
    for (const [method, path, body] of requests) await auth.request(method, path, { body, token, note, brief: true })
  }
}

export async function user_metadata(auth) {
  const { access_token: token } = await auth.confirmedUser('metadata@example.org', { user_metadata: { a: 1, b: { c: 1 }, d: 'x', n: null } })
  const changes = [
    {},
    { a: null },
    { a: 2, z: [1, null], b: { e: null } },
    { d: null, unknown: null },
    null,
    { email: 'other@example.org', sub: 'x', email_verified: false, phone_verified: 5 },
  ]
  for (const data of changes) await auth.put('/user', { data }, { token })
  await auth.rows('metadata changed', ['users', 'identities'])
}

export async function user_changes(auth) {
  const email = 'user@example.org'
  const { access_token: token } = await auth.confirmedUser(email)
  await auth.get('/user', { token })
  const bodies = [
    {},
    { email },
    { email: 'User@Example.org' },
    { email: '' },
    { email: 'bad' },
    { phone: '' },
    { phone: 'x' },
    { nonce: '123456' },
    { app_metadata: { x: 1 } },
    { role: 'service_role' },
    { channel: 'other' },
    { phone: '441234567832', channel: 'other' },
  ]
  for (const body of bodies) await auth.put('/user', body, { token })
  await auth.rows('nothing changed', ['users'])
}

export async function password_change(auth) {
  const email = 'password@example.org'
  const { access_token: token } = await auth.confirmedUser(email)
  await auth.signIn(email)
  for (const password of ['', 'short', PASSWORD, 'x'.repeat(73)]) await auth.put('/user', { password }, { token })
  await auth.put('/user', { password: 'new password 1', data: { changed: true } }, { token })
  await auth.rows('changed', ['users', 'sessions', 'refresh_tokens'])
  await auth.signIn(email)
  await auth.signIn(email, 'new password 1')
}
