/** Authenticator apps as second factors. */
import { totp } from '../../../support/totp.mjs'
import { PASSWORD, UNKNOWN_ID } from '../session.mjs'

export async function enrol(auth) {
  const { access_token: token } = await auth.confirmedUser('enrol@example.org')
  const bodies = [
    {},
    { factor_type: 'unknown' },
    { factor_type: 'phone' },
    { factor_type: 'phone', phone: 'x' },
    { factor_type: 'webauthn' },
    { factor_type: 'totp', issuer: 'not a url', friendly_name: 'f0' },
    { factor_type: 'totp', issuer: 'a:b', friendly_name: 'f1' },
    { factor_type: 'totp', friendly_name: 'f1' },
    { factor_type: 'totp', friendly_name: '' },
    { factor_type: 'totp', friendly_name: 'Name with spaces & ü' },
  ]
  for (const body of bodies) await auth.post('/factors', body, { token })
  await auth.rows('enrolled', ['mfa_factors'])
}

/** Enrols, verifies and deletes a factor. */
export async function verify_factor(auth) {
  const email = 'factor@example.org'
  const { access_token: token } = await auth.confirmedUser(email)
  const factor = (await auth.post('/factors', { factor_type: 'totp', friendly_name: 'my phone' }, { token })).json
  const path = `/factors/${factor.id}`
  await auth.rows('enrolled', ['mfa_factors'])
  const wrong = [
    ['POST', '/factors/x/challenge', {}],
    ['POST', `/factors/${UNKNOWN_ID}/challenge`, {}],
    ['POST', `${path}/verify`, {}],
    ['POST', `${path}/verify`, { challenge_id: 'x', code: '1' }],
    ['POST', `${path}/verify`, { challenge_id: UNKNOWN_ID, code: '123456' }],
    ['DELETE', '/factors/x'],
    ['DELETE', `/factors/${UNKNOWN_ID}`],
  ]
  for (const [method, target, body] of wrong) await auth.request(method, target, { body, token })
  const challenge = (await auth.post(`${path}/challenge`, {}, { token })).json
  await auth.rows('challenged', ['mfa_factors', 'mfa_challenges'])
  const answer = (code, note) => auth.post(`${path}/verify`, { challenge_id: challenge.id, code }, { token, note })
  await answer(undefined, 'no code')
  await answer('', 'empty code')
  await answer('abcdef', 'letters')
  await answer(totp(factor.totp.secret, Date.now() - 3_600_000), 'code of an hour ago')
  const raised = (await answer(totp(factor.totp.secret), 'code')).json
  await auth.rows('verified')
  await answer(totp(factor.totp.secret), 'code again')
  await withBothLevels(auth, email, factor, raised)
}

/** What a session at aal1 may do if the user has a factor, then the session at aal2. */
async function withBothLevels(auth, email, factor, raised) {
  const path = `/factors/${factor.id}`
  const token = raised.access_token
  await auth.refresh(raised.refresh_token, 'aal2')
  await auth.get('/user', { token, note: 'aal2' })
  const low = (await auth.signIn(email)).json.access_token
  await auth.delete(path, undefined, { token: low, note: 'aal1' })
  await auth.post('/factors', { factor_type: 'totp', friendly_name: 'second' }, { token: low, note: 'aal1' })
  await auth.put('/user', { password: 'some new pw 1' }, { token: low, note: 'aal1' })
  await auth.put('/user', { email: 'other@example.org' }, { token: low, note: 'aal1' })
  await auth.put('/user', { data: { q: 1 } }, { token: low, note: 'aal1' })
  await auth.post('/factors', { factor_type: 'totp', friendly_name: 'my phone' }, { token, note: 'the same name' })
  await auth.delete(path, undefined, { token, note: 'aal2' })
  await auth.rows('deleted', ['mfa_factors', 'sessions', 'mfa_amr_claims', 'refresh_tokens'])
  await auth.get('/user', { token, note: 'after the deletion' })
}

export async function factors_of_admin(auth) {
  const { access_token: token, user } = await auth.confirmedUser('factor-admin@example.org')
  const factor = (await auth.post('/factors', { factor_type: 'totp', friendly_name: 'f' }, { token })).json
  const all = `/admin/users/${user.id}/factors`
  const one = `${all}/${factor.id}`
  await auth.admin('GET', all)
  for (const body of [{ friendly_name: 'renamed' }, { phone: 'x' }, { factor_type: 'phone' }, {}]) await auth.admin('PUT', one, body)
  for (const path of [`${all}/x`, `${all}/${UNKNOWN_ID}`, '/admin/users/x/factors', `/admin/users/${UNKNOWN_ID}/factors`]) await auth.admin('GET', path)
  await auth.admin('DELETE', one)
  await auth.admin('DELETE', one, undefined, { note: 'again' })
  await auth.admin('GET', `/admin/users/${user.id}`)
}

/** More factors than allowed. */
export async function many_factors(auth) {
  await auth.admin('POST', '/admin/users', { email: 'many@example.org', password: PASSWORD, email_confirm: true }, { brief: true })
  const { access_token: token } = (await auth.signIn('many@example.org')).json
  for (let n = 0; n < 12; n += 1) await auth.post('/factors', { factor_type: 'totp', friendly_name: `f${n}` }, { token, brief: true })
}
