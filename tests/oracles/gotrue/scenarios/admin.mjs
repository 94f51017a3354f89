/** Users of the admin API. */
import { PASSWORD, UNKNOWN_ID } from '../session.mjs'

const BCRYPT = '$2a$04$TZZQH5hlI4FacJGXoMO13OwcChcVFrFGo4znYeuTo3VThXWRGMveC'

export async function admin_create(auth) {
  const durations = ['24h', 'none', 'x', '', '1d', '0', '1.5h', '-1h', '100000000h', '1h30m10s5ms', '1µs', '.5h', '+1h', '1 h']
  const bodies = [
    {},
    { email: 'plain@example.org' },
    { email: 'x' },
    { password: '' },
    { password: 'short' },
    { password: 'x'.repeat(73) },
    { password: PASSWORD, email_confirm: true },
    { email_confirm: false },
    { user_metadata: { a: 1, n: null, o: { p: null } }, app_metadata: { r: 'x', n: null } },
    { user_metadata: { email_verified: false, sub: 'x', email: 'z' } },
    { app_metadata: { provider: 'google', providers: ['google'] } },
    { app_metadata: { provider: 'x' } },
    { app_metadata: null, user_metadata: null },
    { email: '', phone: '441234567857', phone_confirm: true },
    { email: '', phone: 'x' },
    { phone: '441234567858', email_confirm: true, phone_confirm: true },
    { role: 'editor' },
    { role: '' },
    { id: UNKNOWN_ID },
    { id: 'x' },
    { id: '' },
    { id: '00000000-0000-0000-0000-000000000000' },
    { password_hash: BCRYPT },
    { password: PASSWORD, password_hash: BCRYPT },
    { aud: 'other' },
    { nonce: 'x', other: 1 },
    { email: 'Upper@Example.org', email_confirm: true },
    { email: '', password: PASSWORD },
    ...durations.map((ban_duration) => ({ ban_duration })),
  ]
  for (const body of bodies) {
    await auth.removeUsers()
    const { status } = await auth.admin('POST', '/admin/users', { email: 'create@example.org', ...body }, { note: JSON.stringify(body), brief: true })
    if (status === 200 && body.ban_duration === undefined) await auth.rows(`of ${JSON.stringify(body)}`, ['users'])
  }
  await auth.admin('POST', '/admin/users', { email: 'Upper@example.org' })
  await auth.admin('POST', '/admin/users', { email: 'upper@example.org' }, { note: 'the same address' })
}

export async function admin_list(auth) {
  for (let n = 1; n <= 7; n += 1) {
    const user = { email: `list-${n}@example.org`, phone: n === 7 ? '441234567859' : undefined, user_metadata: { full_name: `Name ${n}` } }
    await auth.admin('POST', '/admin/users', user, { brief: true })
  }
  const queries = [
    '',
    'page=1&per_page=3',
    'page=2&per_page=3',
    'page=3&per_page=3',
    'page=100&per_page=3',
    'page=0',
    'page=-1',
    'page=x',
    'per_page=x',
    'per_page=0',
    'per_page=-5',
    'per_page=100000',
    'page=99999999999999999999',
    'filter=list-3',
    'filter=',
    'filter=nobody',
    'filter=Name%204',
    'filter=441234',
    'sort=email',
    'sort=created_at%20asc',
    'sort=created_at%20desc',
    'sort=x',
    'filter=list&page=2&per_page=3',
  ]
  for (const query of queries) {
    const { json } = await auth.admin('GET', `/admin/users?${query}`, undefined, { brief: true })
    auth.note(`the users of ${query}`, json?.users?.map(({ email }) => email).join(' '))
  }
}

export async function admin_update(auth) {
  const created = (
    await auth.admin('POST', '/admin/users', {
      email: 'update@example.org',
      password: PASSWORD,
      email_confirm: true,
      user_metadata: { a: 1, b: 2 },
      app_metadata: { r: 1, s: 2 },
    })
  ).json
  await auth.admin('POST', '/admin/users', { email: 'taken@example.org', phone: '441234567867', phone_confirm: true }, { brief: true })
  const bodies = [
    {},
    { email: 'new1@example.org' },
    { email: 'taken@example.org' },
    { email: 'bad' },
    { email: '' },
    { email: null },
    { email: 'NEW2@example.org', email_confirm: true },
    { email: 'new3@example.org', email_confirm: false },
    { email_confirm: true },
    { phone_confirm: true },
    { phone: '441234567868' },
    { phone: '441234567867' },
    { phone: 'x' },
    { phone: '' },
    { phone: '441234567869', phone_confirm: true },
    { password: 'short' },
    { password: '' },
    { password: 'other password 1' },
    { user_metadata: { a: null, c: 3, o: { p: null } } },
    { user_metadata: {} },
    { user_metadata: null },
    { app_metadata: { r: null, t: 1 } },
    { app_metadata: { provider: null, providers: null } },
    { app_metadata: {} },
    { role: 'editor' },
    { role: '' },
    { role: null },
    { aud: 'x' },
    { id: UNKNOWN_ID },
    { other: 1 },
    { data: { z: 1 } },
    { is_anonymous: true },
    { confirmed_at: null },
  ]
  for (const body of bodies) await auth.admin('PUT', `/admin/users/${created.id}`, body, { note: JSON.stringify(body) })
  await auth.rows('after all', ['users', 'identities'])
}

export async function admin_ban(auth) {
  const email = 'ban@example.org'
  const { user, access_token: token, refresh_token } = await auth.confirmedUser(email)
  for (const ban_duration of ['1h', '-1h', '', 'x', 5, '0s', '1h', 'none']) {
    await auth.admin('PUT', `/admin/users/${user.id}`, { ban_duration }, { brief: true })
    await auth.get('/user', { token, note: `after ${ban_duration}`, brief: true })
  }
  await auth.refresh(refresh_token, 'ban lifted')
}

export async function admin_unknown_users(auth) {
  const { json } = await auth.admin('POST', '/admin/users', { email: 'known@example.org' })
  for (const id of ['x', UNKNOWN_ID]) {
    for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']]) await auth.admin(method, `/admin/users/${id}`, body)
  }
  await auth.admin('GET', `/admin/users/${json.id.toUpperCase()}`, undefined, { note: 'upper case' })
}

export async function admin_delete(auth) {
  const email = 'delete@example.org'
  for (const [note, body] of Object.entries({ 'no body': undefined, soft: { should_soft_delete: true }, text: { should_soft_delete: 'x' } })) {
    await auth.removeUsers()
    const session = await auth.confirmedUser(email, { phone: '441234567810', phone_confirm: true, user_metadata: { a: 1 }, app_metadata: { b: 1 } })
    const path = `/admin/users/${session.user.id}`
    await auth.post('/factors', { factor_type: 'totp', friendly_name: 'f' }, { token: session.access_token, brief: true })
    await auth.admin('POST', '/admin/generate_link', { type: 'recovery', email }, { brief: true })
    await auth.admin('DELETE', path, body, { note })
    if (note === 'soft') await auth.rows('softly deleted')
    await auth.signIn(email, PASSWORD, { brief: true })
    await auth.admin('GET', path)
    await auth.get('/user', { token: session.access_token, note })
    await auth.admin('DELETE', path, { should_soft_delete: true }, { note: 'softly, again' })
    await auth.signUp(email, {}, { brief: true })
    await auth.admin('DELETE', path, undefined, { note: 'again' })
  }
}
