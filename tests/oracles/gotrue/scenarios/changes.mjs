/** A new address, and a new password with a code. */
import { CHALLENGE } from '../session.mjs'

export async function email_change(auth) {
  const [email, changed] = ['old@example.org', 'new@example.org']
  const { access_token: token } = await auth.confirmedUser(email)
  await auth.admin('POST', '/admin/users', { email: 'taken@example.org' }, { brief: true })
  await auth.put('/user', { email: 'taken@example.org' }, { token })
  await auth.put('/user', { email: 'New@example.org', data: { k: 1 } }, { token })
  await auth.mail(email)
  await auth.mail(changed)
  await auth.rows('requested', ['users', 'one_time_tokens'])
  await auth.post('/resend', { type: 'email_change', email })
  const first = await auth.mail(email)
  const second = await auth.mail(changed)
  const verify = (type, address, code, note) => auth.post('/verify', { type, email: address, token: code }, { note })
  await verify('email_change', email, '000000', 'wrong code')
  await verify('signup', email, first.code, 'other type')
  await verify('email_change', email, first.code, 'old address')
  await auth.rows('confirmed by the old address', ['users', 'one_time_tokens'])
  await verify('email_change', email, first.code, 'old address again')
  await verify('email_change', changed, second.code, 'new address')
  await auth.rows('confirmed by both', ['users', 'identities', 'one_time_tokens', 'sessions'])
  await auth.signIn(changed)
  await auth.signIn(email)
  await auth.get('/user', { token })
}

export async function email_change_by_links(auth) {
  const [email, changed] = ['old-link@example.org', 'new-link@example.org']
  const { access_token: token } = await auth.confirmedUser(email)
  await auth.put('/user', { email: changed }, { token })
  const first = await auth.mail(email)
  const second = await auth.mail(changed)
  await auth.follow(second.link, 'of the new address')
  await auth.follow(second.link, 'of the new address again')
  await auth.follow(first.link, 'of the old address')
  await auth.rows('followed both', ['users', 'identities'])
}

export async function email_change_with_pkce(auth) {
  const [email, changed] = ['old-pkce@example.org', 'new-pkce@example.org']
  const { access_token: token } = await auth.confirmedUser(email)
  await auth.put('/user', { email: changed, ...CHALLENGE }, { token })
  await auth.follow((await auth.mail(changed)).link, 'of the new address')
  await auth.rows('followed one', ['users', 'flow_state'])
  await auth.follow((await auth.mail(email)).link, 'of the old address')
  await auth.rows('followed both', ['users', 'flow_state'])
}

export async function reauthentication(auth) {
  const email = 'reauthentication@example.org'
  const { access_token: token } = await auth.confirmedUser(email)
  await auth.get('/reauthenticate', { token })
  const { code } = await auth.mail(email)
  await auth.rows('sent', ['users', 'one_time_tokens'])
  await auth.put('/user', { password: 'another one 1', nonce: '000000' }, { token })
  await auth.put('/user', { password: 'another one 1', nonce: code }, { token, note: 'the code' })
  await auth.rows('changed', ['users', 'one_time_tokens'])
}
