/** Phone numbers. These are test numbers: they get no message, and their code is 123456. */
import { PASSWORD } from '../session.mjs'

const CODE = '123456'
const verify = (auth, type, phone, token = CODE) =>
  auth.post('/verify', { type, phone, token }, { note: `${type} ${phone} ${token === CODE ? 'code' : 'wrong'}` })

export async function phone_sign_up(auth) {
  const phone = '441234567837'
  const signIn = (number) => auth.post('/token?grant_type=password', { phone: number, password: PASSWORD })
  await auth.post('/signup', { phone: `+${phone}`, password: PASSWORD, data: { a: 1 } })
  await auth.rows('signed up')
  await signIn(phone)
  await verify(auth, 'sms', phone, '999999')
  await verify(auth, 'phone_change', phone)
  await verify(auth, 'sms', `+${phone}`)
  await auth.rows('verified')
  await signIn(`+${phone}`)
  await auth.post('/signup', { phone, password: PASSWORD })
  await auth.post('/otp', { phone })
  await verify(auth, 'sms', phone)
  await auth.rows('code used', ['users', 'one_time_tokens', 'mfa_amr_claims'])
}

export async function phone_of_new_user(auth) {
  const phone = '441234567839'
  await auth.post('/otp', { phone, data: { b: 1 } })
  await auth.rows('sent')
  await auth.post('/resend', { type: 'sms', phone })
  await verify(auth, 'sms', phone)
  await auth.rows('verified', ['users', 'identities', 'one_time_tokens'])
}

export async function phone_change(auth) {
  const email = 'phone@example.org'
  const [first, second] = ['441234567840', '441234567841']
  const { access_token: token } = await auth.confirmedUser(email)
  await auth.put('/user', { phone: first }, { token })
  await auth.rows('requested', ['users', 'one_time_tokens'])
  await verify(auth, 'sms', first)
  await verify(auth, 'phone_change', first, '999999')
  await verify(auth, 'phone_change', first)
  await auth.rows('verified', ['users', 'identities', 'one_time_tokens'])
  await auth.put('/user', { phone: second }, { token })
  await auth.post('/resend', { type: 'phone_change', phone: first })
  await verify(auth, 'phone_change', second)
  await auth.rows('changed', ['users', 'identities'])
}

/** A user with a number adds an address. */
export async function address_of_phone_user(auth) {
  const [phone, email] = ['441234567842', 'added@example.org']
  await auth.admin('POST', '/admin/users', { phone, password: PASSWORD, phone_confirm: true })
  const { json } = await auth.post('/token?grant_type=password', { phone, password: PASSWORD })
  await auth.put('/user', { email }, { token: json.access_token })
  const { link } = await auth.mail(email)
  await auth.rows('requested', ['users', 'one_time_tokens'])
  await auth.follow(link)
  await auth.rows('added', ['users', 'identities'])
}
