/** Each field of a request with each value of a table: wrong types, empty and long values. */
import { FAR_FUTURE, PASSWORD, UNKNOWN_ID, VERIFIER } from '../session.mjs'

const VALUES = [null, '', 'x', -1.5, true, ['x'], { a: null }, 'é'.repeat(200)]

/** `user`: the request has the token of a user. `admin`: it has the secret key. */
const REQUESTS = [
  { path: '/signup', fields: { email: 'f@example.org', password: PASSWORD, data: {}, code_challenge: '', code_challenge_method: '' } },
  { path: '/signup', name: 'phone', fields: { phone: '441234567811', password: PASSWORD, channel: 'sms' } },
  { path: '/token?grant_type=password', fields: { email: 'f@example.org', phone: '', password: PASSWORD } },
  { path: '/token?grant_type=refresh_token', fields: { refresh_token: 'unknown' } },
  { path: '/token?grant_type=pkce', fields: { auth_code: UNKNOWN_ID, code_verifier: VERIFIER } },
  { path: '/token?grant_type=id_token', fields: { provider: 'github', id_token: 'x', nonce: 'x' } },
  { path: '/verify', fields: { type: 'signup', email: 'f@example.org', token: '000000', redirect_to: '' } },
  { path: '/verify', name: 'hash', fields: { type: 'email', token_hash: 'unknown' } },
  { path: '/verify', name: 'phone', fields: { type: 'sms', phone: '441234567811', token: '000000' } },
  { path: '/otp', fields: { email: 'f@example.org', create_user: true, data: {}, code_challenge: '', code_challenge_method: '' } },
  { path: '/otp', name: 'phone', fields: { phone: '441234567811', create_user: true, channel: 'sms' } },
  { path: '/magiclink', fields: { email: 'f@example.org', data: {} } },
  { path: '/recover', fields: { email: 'f@example.org', code_challenge: '', code_challenge_method: '' } },
  { path: '/resend', fields: { type: 'signup', email: 'f@example.org', phone: '' } },
  { path: '/invite', admin: true, fields: { email: 'f@example.org', data: {} } },
  {
    path: '/admin/generate_link',
    admin: true,
    fields: { type: 'signup', email: 'f@example.org', password: PASSWORD, data: {}, redirect_to: '', new_email: '' },
  },
  {
    path: '/admin/users',
    admin: true,
    fields: {
      email: 'f@example.org',
      phone: '441234567811',
      password: PASSWORD,
      email_confirm: true,
      user_metadata: {},
      app_metadata: {},
      role: '',
      ban_duration: '',
      id: UNKNOWN_ID,
      aud: '',
    },
  },
  { path: '/user', method: 'PUT', user: true, fields: { email: '', phone: '', password: '', data: {}, nonce: '', app_metadata: {} } },
  { path: '/factors', user: true, fields: { factor_type: 'totp', friendly_name: 'f', issuer: 'i', phone: '' } },
]

export async function field_values(auth) {
  for (const request of REQUESTS) {
    await auth.removeUsers()
    if (request.user) await insertUser(auth)
    for (const field of Object.keys(request.fields)) {
      for (const value of VALUES) await send(auth, request, field, value)
    }
  }
}

async function send(auth, { path, method = 'POST', name = '', admin, user, fields }, field, value) {
  const token = admin ? auth.service : user ? tokenOfUser(auth) : undefined
  const shown = JSON.stringify(value)
  const note = `${name} ${field}: ${shown.length > 30 ? `${shown.slice(0, 30)}…` : shown}`.trim()
  const { status } = await auth.request(method, path, { body: { ...fields, [field]: value }, token, note, brief: true })
  // The next request must find the same state.
  if (status === 200) await auth.removeUsers()
  if (status === 200 && user) await insertUser(auth)
}

const tokenOfUser = (auth) => auth.sign({ sub: UNKNOWN_ID, aud: 'authenticated', role: 'authenticated', exp: FAR_FUTURE })

/** With SQL, because a sign-up takes the time of a password's hash. */
async function insertUser(auth) {
  await auth.sql(
    `insert into auth.users (id, instance_id, aud, role, email, encrypted_password, email_confirmed_at,
       raw_app_meta_data, raw_user_meta_data, created_at, updated_at, confirmation_token, recovery_token, email_change, email_change_token_new,
       email_change_token_current, phone_change, phone_change_token, reauthentication_token)
     values ($1, '00000000-0000-0000-0000-000000000000', 'authenticated', 'authenticated', 'f@example.org', '', now(),
       '{}', '{}', now(), now(), '', '', '', '', '', '', '', '')`,
    [UNKNOWN_ID],
  )
}
