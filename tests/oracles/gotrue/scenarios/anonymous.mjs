/** Anonymous users, who add an address or a number. */
export async function anonymous_with_address(auth) {
  const email = 'was-anonymous@example.org'
  const { json } = await auth.post('/signup', { data: { a: 1, n: null } })
  await auth.rows('signed up')
  const token = json.access_token
  await auth.put('/user', { password: 'some password 1' }, { token })
  await auth.post('/factors', { factor_type: 'totp', friendly_name: 'f' }, { token })
  await auth.refresh(json.refresh_token, 'anonymous')
  await auth.put('/user', { email }, { token })
  const { link } = await auth.mail(email)
  await auth.rows('address requested', ['users', 'one_time_tokens'])
  await auth.follow(link)
  await auth.rows('address confirmed', ['users', 'identities', 'sessions', 'mfa_amr_claims'])
  await auth.get('/user', { token })
}

export async function anonymous_with_number(auth) {
  const phone = '441234567847'
  const { json } = await auth.post('/signup', {})
  const token = json.access_token
  await auth.put('/user', { phone }, { token })
  await auth.rows('number requested', ['users', 'one_time_tokens'])
  await auth.post('/verify', { type: 'phone_change', phone, token: '123456' }, { note: 'the code' })
  await auth.rows('number confirmed', ['users', 'identities'])
  await auth.put('/user', { password: 'some password 1' }, { token })
}
