/** Mails with a link and a code: otp, magiclink, recover, resend. */
import { CHALLENGE, parametersOf } from '../session.mjs'

const PHONE = '441234567828'

export async function recovery(auth) {
  const email = 'recovery@example.org'
  for (const address of ['', 'x', 'nobody@example.org']) await auth.post('/recover', { email: address })
  await auth.signUp(email)
  await auth.mail(email)
  await auth.confirmAll()
  await auth.post('/recover?redirect_to=https://app.example.org/r', { email })
  const first = await auth.mail(email)
  await auth.rows('sent', ['users', 'one_time_tokens'])
  await auth.post('/verify', { type: 'signup', email, token: first.code }, { note: 'code as signup' })
  await auth.follow(first.link)
  await auth.rows('followed')
  await auth.post('/recover', { email: 'Recovery@Example.org', ...CHALLENGE })
  await auth.follow((await auth.mail(email)).link, 'with PKCE')
  await auth.rows('followed with PKCE', ['users', 'flow_state', 'one_time_tokens'])
  await auth.post('/recover', { email })
  const { code } = await auth.mail(email)
  const { json } = await auth.post('/verify', { type: 'recovery', email, token: code }, { note: 'code' })
  await auth.put('/user', { password: 'new password 9' }, { token: json.access_token })
  await auth.rows('password changed', ['users', 'sessions', 'mfa_amr_claims'])
  await auth.signIn(email, 'new password 9')
}

export async function wrong_otp_requests(auth) {
  const bodies = [
    {},
    { email: '' },
    { email: 'x' },
    { email: 'nobody@example.org', create_user: false },
    { email: 'n1@example.org', phone: PHONE },
    { phone: 'x' },
    { phone: PHONE, create_user: false },
    { phone: PHONE, channel: 'other' },
    { email: 'n5@example.org', code_challenge: 'x' },
    { email: 'n6@example.org', ...CHALLENGE, code_challenge_method: 'other' },
  ]
  for (const body of bodies) await auth.post('/otp', body)
  await auth.rows('after', ['users'])
}

export async function one_time_passwords(auth) {
  const email = 'otp@example.org'
  await auth.post('/otp', { email, data: { a: 1, n: null } })
  const first = await auth.mail(email)
  await auth.rows('new user')
  await auth.post('/verify', { type: 'email', email, token: first.code }, { note: 'code' })
  await auth.rows('code used')
  await auth.post('/otp', { email, create_user: false, data: { b: 1 } })
  await auth.follow((await auth.mail(email)).link)
  await auth.rows('link followed', ['users', 'identities', 'mfa_amr_claims'])
  await auth.post('/magiclink', { email })
  const magic = await auth.mail(email)
  await auth.post('/verify', { type: 'magiclink', email, token: magic.code }, { note: 'code of a magic link' })
  await auth.post('/otp', { email, ...CHALLENGE })
  await auth.follow((await auth.mail(email)).link, 'with PKCE')
  await auth.rows('with PKCE', ['users', 'flow_state'])
}

export async function magic_link_of_new_user(auth) {
  const email = 'magic@example.org'
  await auth.post('/magiclink', { email, data: { z: 1 } })
  const { link } = await auth.mail(email)
  await auth.rows('sent')
  await auth.follow(link)
  await auth.rows('followed', ['users', 'identities', 'one_time_tokens'])
}

/** A newer mail makes the older one invalid. */
export async function newer_mail(auth) {
  const email = 'newer@example.org'
  await auth.confirmedUser(email)
  await auth.post('/magiclink', { email })
  const older = await auth.mail(email)
  await auth.post('/magiclink', { email })
  const newer = await auth.mail(email)
  await auth.follow(older.link, 'older')
  await auth.follow(newer.link, 'newer')
  await auth.post('/verify', { type: 'email', token_hash: parametersOf(newer.link).token }, { note: 'newer again' })
}

export async function resend(auth) {
  const email = 'resend@example.org'
  const bodies = [
    {},
    { type: 'signup' },
    { type: 'unknown', email },
    { type: 'recovery', email },
    { type: 'magiclink', email },
    { type: 'signup', email: 'x' },
    { type: 'signup', email: 'nobody@example.org' },
    { type: 'signup', phone: PHONE },
    { type: 'sms', email },
    { type: 'sms', phone: PHONE },
    { type: 'email_change', email: 'nobody@example.org' },
    { type: 'phone_change', phone: PHONE },
    { type: 'phone_change', email },
    { type: 'signup', email, phone: PHONE },
    { type: 'signup', email, code_challenge: 'x' },
  ]
  for (const body of bodies) await auth.post('/resend', body)
  await auth.signUp(email)
  await auth.mail(email)
  await auth.post('/resend', { type: 'signup', email })
  const { link } = await auth.mail(email)
  await auth.rows('sent again', ['users', 'one_time_tokens'])
  await auth.follow(link)
  await auth.post('/resend', { type: 'signup', email }, { note: 'confirmed' })
}
