/** Links and invitations of administrators. */
import { FAR_FUTURE, PASSWORD } from '../session.mjs'

export async function wrong_generate_link(auth) {
  const email = 'generate@example.org'
  const bodies = [
    {},
    { type: 'signup' },
    { type: 'signup', email: 'x', password: PASSWORD },
    { type: 'signup', email },
    { type: 'signup', email, password: 'x' },
    { type: 'unknown', email },
    { type: 'invite' },
    { type: 'recovery', email },
    { type: 'email_change_current', email, new_email: 'n@example.org' },
    { type: 'email_change_new', email },
    { type: 'reauthentication', email },
  ]
  for (const body of bodies) await auth.admin('POST', '/admin/generate_link', body)
  for (const token of [undefined, auth.anon]) await auth.post('/admin/generate_link', { type: 'recovery', email }, { token, note: token ? 'anon' : 'no token' })
}

/** Each type for a new user, an unconfirmed one and a confirmed one; then follows the link. */
export async function generate_link(auth) {
  const types = [
    { type: 'signup', password: PASSWORD, data: { a: 1 } },
    { type: 'invite', data: { c: 1, n: null }, redirect_to: 'https://app.example.org/i' },
    { type: 'magiclink', data: { z: 1 }, redirect_to: 'https://other.example/' },
    { type: 'recovery' },
    { type: 'email_change_current', new_email: 'changed@example.org' },
    { type: 'email_change_new', new_email: 'changed@example.org' },
    { type: 'email_change_new', new_email: 'bad' },
    { type: 'email_change_new', new_email: 'taken@example.org' },
  ]
  const users = { new: undefined, unconfirmed: { email_confirm: false }, confirmed: { email_confirm: true } }
  for (const [state, user] of Object.entries(users)) {
    for (const request of types) {
      const email = 'link-of-admin@example.org'
      await auth.removeUsers()
      await auth.admin('POST', '/admin/users', { email: 'taken@example.org' }, { brief: true })
      if (user) await auth.admin('POST', '/admin/users', { email, ...user }, { brief: true })
      const { json } = await auth.admin(
        'POST',
        '/admin/generate_link',
        { email, ...request },
        { note: `${state} ${request.type} ${request.new_email ?? ''}`, brief: state === 'unconfirmed' || (state === 'new' && request.new_email !== undefined) },
      )
      if (json.action_link) await auth.follow(json.action_link, request.type)
      await auth.rows(`${state} ${request.type} ${request.new_email ?? ''}`, ['one_time_tokens'])
    }
  }
}

export async function invite(auth) {
  const email = 'invite@example.org'
  for (const address of ['', 'x']) await auth.admin('POST', '/invite', { email: address })
  for (const token of [undefined, auth.anon]) await auth.post('/invite', { email }, { token, note: token ? 'anon' : 'no token' })
  await auth.admin('POST', '/invite?redirect_to=https://app.example.org/w', { email, data: { a: 1 } })
  await auth.mail(email)
  await auth.rows('invited')
  await auth.admin('POST', '/invite', { email }, { note: 'again' })
  const { link } = await auth.mail(email)
  await auth.signIn(email)
  await auth.follow(link)
  await auth.rows('accepted', ['users', 'identities', 'one_time_tokens'])
  await auth.admin('POST', '/invite', { email }, { note: 'accepted' })
}

export async function sign_up_of_invited(auth) {
  const email = 'invited@example.org'
  await auth.admin('POST', '/invite', { email })
  const invitation = await auth.mail(email)
  await auth.signUp(email)
  await auth.rows('signed up', ['users', 'one_time_tokens'])
  await auth.follow(invitation.link, 'of the invitation')
}

/** A client without the secret key. */
export async function admin_tokens(auth) {
  const tokens = {
    none: undefined,
    anon: auth.anon,
    expired: auth.sign({ role: 'service_role', exp: 1 }),
    'no expiry': auth.sign({ role: 'service_role' }),
    'no JWT': 'x',
    authenticated: auth.sign({ role: 'authenticated', exp: FAR_FUTURE }),
    'other secret': auth.sign({ role: 'service_role', exp: FAR_FUTURE }, { secret: 'other-secret-other-secret-other-secret-02' }),
  }
  for (const [note, token] of Object.entries(tokens)) {
    for (const [method, path] of [
      ['GET', '/admin/users'],
      ['POST', '/admin/users'],
      ['GET', '/admin/audit'],
      ['POST', '/invite'],
    ])
      await auth.request(method, path, { token, note, body: method === 'POST' ? {} : undefined, brief: true })
  }
}
