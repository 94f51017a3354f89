/** Identities of providers, and the begin of a sign-in with one. */
import { CHALLENGE, UNKNOWN_ID } from '../session.mjs'

const challenge = new URLSearchParams(CHALLENGE).toString()

export async function identities(auth) {
  const { access_token: token, user } = await auth.confirmedUser('identity@example.org')
  const own = user.identities[0].identity_id
  for (const id of ['x', UNKNOWN_ID, own]) await auth.delete(`/user/identities/${id}`, undefined, { token })
  await auth.sql(
    `insert into auth.identities (id, user_id, provider, provider_id, identity_data, created_at, updated_at, last_sign_in_at)
     values ('${UNKNOWN_ID}', $1, 'github', '77', '{"sub": "77", "email": "gh@example.org"}', now(), now(), now())`,
    [user.id],
  )
  await auth.delete(`/user/identities/${own}`, undefined, { token, note: 'one of two' })
  await auth.rows('unlinked', ['users', 'identities'])
  await auth.get('/user', { token })
}

export async function link_identity(auth) {
  const { access_token: token } = await auth.confirmedUser('linking@example.org')
  const queries = [
    '',
    'provider=unknown',
    'provider=apple',
    'provider=email',
    'provider=github',
    'provider=github&skip_http_redirect=true',
    `provider=github&redirect_to=https://app.example.org/z&scopes=repo&${challenge}&skip_http_redirect=true`,
  ]
  for (const query of queries) {
    const { json } = await auth.get(`/user/identities/authorize?${query}`, { token, brief: query.includes('skip') })
    auth.note(`parameters of the provider, ${query}`, json?.url && [...new URL(json.url).searchParams.keys()].sort().join())
  }
  await auth.rows('begun', ['flow_state'])
}

export async function authorize(auth) {
  const queries = [
    '',
    'provider=',
    'provider=unknown',
    'provider=apple',
    'provider=email',
    'provider=github',
    'provider=GitHub',
    'provider=github&redirect_to=https://app.example.org/a',
    'provider=github&redirect_to=https://other.example',
    'provider=github&scopes=repo%20user',
    `provider=github&${challenge}`,
    'provider=github&code_challenge=x&code_challenge_method=s256',
    'provider=github&code_challenge_method=s256',
    `provider=github&code_challenge=${CHALLENGE.code_challenge}`,
    `provider=github&code_challenge=${CHALLENGE.code_challenge}&code_challenge_method=other`,
    'provider=github&invite_token=x',
    'provider=github&prompt=consent&login_hint=a&other=b',
    'provider=github&state=mine&redirect_uri=x&client_id=y&response_type=z',
  ]
  for (const query of queries) await auth.get(`/authorize?${query}`)
  await auth.rows('begun', ['flow_state'])
}

export async function callback(auth) {
  const queries = [
    '',
    'state=x',
    'code=x',
    'error=access_denied',
    'error=server_error&error_code=x&error_description=d',
    'code=x&state=bad',
    `state=${UNKNOWN_ID}&code=x`,
    `error=x&state=${UNKNOWN_ID}`,
  ]
  for (const query of queries) await auth.get(`/callback?${query}`)
  const begun = await auth.get('/authorize?provider=github&redirect_to=https://app.example.org/done?x=1')
  const { searchParams } = new URL(begun.headers.get('location'))
  for (const query of ['', '&error=access_denied&error_description=No%20way', '&code='])
    await auth.get(`/callback?state=${searchParams.get('state')}${query}`, { note: `with the state ${query}` })
}
