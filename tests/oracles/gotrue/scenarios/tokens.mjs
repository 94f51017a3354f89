/** Grants of /token. */
import { PASSWORD, UNKNOWN_ID, VERIFIER } from '../session.mjs'

export async function password_grant(auth) {
  const email = 'grant@example.org'
  await auth.signUp(email)
  const bodies = [
    {},
    { email },
    { email, password: '' },
    { email, password: 'wrong' },
    { email, password: 'x'.repeat(100) },
    { email: 'nobody@example.org', password: PASSWORD },
    { email: 'Grant@Example.Org', password: PASSWORD },
    { email: ' grant@example.org', password: PASSWORD },
    { email: 'not an address', password: PASSWORD },
    { email, phone: '441234567810', password: PASSWORD },
    { phone: '441234567810', password: PASSWORD },
    { phone: 'x', password: PASSWORD },
    { password: PASSWORD },
  ]
  for (const body of bodies) await auth.post('/token?grant_type=password', body)
}

export async function other_grants(auth) {
  const bodies = {
    '': [{}],
    unknown: [{}],
    PASSWORD: [{}],
    refresh_token: [
      {},
      { refresh_token: '' },
      { refresh_token: 'unknown' },
      { refresh_token: 'abcdefghijkl' },
      { refresh_token: 'v2.abc' },
      { token: 'abcdefghijkl' },
    ],
    pkce: [
      {},
      { auth_code: 'x' },
      { code_verifier: VERIFIER },
      { auth_code: 'x', code_verifier: 'y' },
      { auth_code: '', code_verifier: VERIFIER },
      { auth_code: UNKNOWN_ID, code_verifier: VERIFIER },
    ],
    id_token: [
      {},
      { provider: 'github' },
      { id_token: 'x' },
      { provider: 'apple', id_token: 'x' },
      { provider: 'unknown', id_token: 'x' },
      { provider: 'github', id_token: 'x' },
    ],
    web3: [{}, { chain: 'solana' }, { chain: 'unknown', message: 'm', signature: 's' }],
  }
  await auth.post('/token', {})
  for (const [grant, all] of Object.entries(bodies)) for (const body of all) await auth.post(`/token?grant_type=${grant}`, body)
}
