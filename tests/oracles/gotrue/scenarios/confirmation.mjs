/** Sign-up with a confirmation, by the link or the code of the mail. */
import { CHALLENGE, UNKNOWN_ID, VERIFIER, parametersOf } from '../session.mjs'

export async function confirmed_by_link(auth) {
  const email = 'link@example.org'
  await auth.signUp(email, { data: { n: 1 } })
  const { link } = await auth.mail(email)
  await auth.rows('signed up')
  await auth.signIn(email)
  await auth.follow(link)
  await auth.rows('confirmed')
  await auth.follow(link, 'again')
  await auth.signIn(email)
  await auth.signUp(email)
}

/** Where the link leads. */
export async function redirect_targets(auth) {
  const email = 'target@example.org'
  const targets = [
    'https://app.example.org/x',
    'https://app.example.org/x?a=1',
    'https://app.example.org/x#/route',
    'https://other.example/x',
    'http://127.0.0.1:3000/deep',
    'http://127.0.0.1:3000',
    '/relative',
    'javascript:alert(1)',
    '',
    'myapp://callback',
    'https://app.example.org:8080/',
    'https://app.example.org',
    'HTTPS://APP.example.org/x',
  ]
  for (const target of targets) {
    await auth.removeUsers()
    await auth.post(`/otp?${new URLSearchParams({ redirect_to: target })}`, { email }, { brief: true })
    const { link } = await auth.mail(email)
    await auth.follow(link, 'wrong token', { token: 'wrong' })
    await auth.follow(link)
  }
  for (const headers of [
    { referer: 'https://app.example.org/referer' },
    { redirect_to: 'https://app.example.org/header' },
    { referer: 'https://other.example/' },
  ]) {
    await auth.removeUsers()
    await auth.post('/otp', { email }, { headers, note: JSON.stringify(headers), brief: true })
    await auth.mail(email)
  }
}

export async function confirmed_with_pkce(auth) {
  const email = 'pkce@example.org'
  await auth.signUp(email, CHALLENGE)
  const { link } = await auth.mail(email)
  await auth.rows('signed up', ['users', 'one_time_tokens', 'flow_state'])
  const { headers } = await auth.follow(link)
  await auth.rows('confirmed', ['users', 'one_time_tokens', 'flow_state'])
  const auth_code = parametersOf(headers.get('location')).code
  const exchange = (code_verifier, note) => auth.post('/token?grant_type=pkce', { auth_code, code_verifier }, { note })
  await exchange('w'.repeat(50), 'wrong verifier')
  await exchange(VERIFIER, 'verifier')
  await auth.rows('exchanged')
  await exchange(VERIFIER, 'again')
}

/** POST /verify with everything that is wrong, then the code. */
export async function confirmed_by_code(auth) {
  const email = 'code@example.org'
  await auth.signUp(email)
  const { link, code: token } = await auth.mail(email)
  const token_hash = parametersOf(link).token
  const phone = '441234567827'
  const wrong = [
    {},
    { type: 'signup' },
    { type: 'signup', token },
    { type: 'signup', email },
    { type: 'signup', email, token: '' },
    { type: 'signup', email, token: '000000' },
    { type: 'unknown', email, token },
    { type: 'recovery', email, token },
    { type: 'invite', email, token },
    { type: 'reauthentication', email, token },
    { type: 'magiclink', email: 'nobody@example.org', token },
    { type: 'sms', email, token },
    { type: 'sms', phone, token },
    { type: 'phone_change', phone, token },
    { type: 'email_change', email, token },
    { type: 'signup', token_hash: 'unknown' },
    { type: 'signup', token_hash: 'unknown', email },
    { type: 'signup', token_hash, token },
    { type: 'signup', token_hash, email },
    { type: 'signup', email: 'not an address', token },
    { type: 'email', email, token: '111111' },
    { type: 'email', token_hash: 'unknown' },
    { type: 'recovery', token_hash },
    { token_hash },
    { type: 'signup', email, phone, token },
  ]
  for (const body of wrong) await auth.post('/verify', body)
  await auth.post('/verify', { type: 'email', email, token }, { note: 'the code' })
  await auth.rows('confirmed')
  await auth.post('/verify', { type: 'email', email, token }, { note: 'the code again' })
}

export async function confirmed_by_hash(auth) {
  const email = 'hash@example.org'
  await auth.signUp(email)
  const { link } = await auth.mail(email)
  const token_hash = parametersOf(link).token
  await auth.post('/verify', { type: 'email', token_hash }, { note: 'the hash' })
  await auth.rows('confirmed', ['users', 'mfa_amr_claims'])
  await auth.post('/verify', { type: 'email', token_hash }, { note: 'the hash again' })
}

/** GET /verify with wrong parameters. */
export async function wrong_links(auth) {
  const email = 'wrong@example.org'
  await auth.signUp(email)
  const { link, code } = await auth.mail(email)
  const { token } = parametersOf(link)
  const queries = [
    {},
    { type: 'signup' },
    { token },
    { type: 'unknown', token },
    { type: 'recovery', token },
    { type: 'magiclink', token: UNKNOWN_ID },
    { type: 'signup', token: 'x' },
    { type: 'signup', token: '' },
    { type: 'signup', token: code, email },
    { type: 'signup', token: 'x', redirect_to: 'https://app.example.org/x' },
    { type: 'signup', token: 'x', redirect_to: 'https://other.example' },
  ]
  for (const query of queries) await auth.get(`/verify?${new URLSearchParams(query)}`)
  await auth.follow(link, 'right, other target', { redirect_to: 'https://other.example' })
}

export async function expired_tokens(auth) {
  const email = 'expired@example.org'
  await auth.signUp(email)
  const { link, code: token } = await auth.mail(email)
  await auth.sql("update auth.users set confirmation_sent_at = now() - interval '2 hours'")
  await auth.sql("update auth.one_time_tokens set created_at = created_at - interval '2 hours', updated_at = updated_at - interval '2 hours'")
  await auth.post('/verify', { type: 'signup', email, token }, { note: 'the code' })
  await auth.post('/verify', { type: 'signup', token_hash: parametersOf(link).token }, { note: 'the hash' })
  await auth.follow(link)
}
