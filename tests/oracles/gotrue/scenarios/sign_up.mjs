/** Sign-up without confirmation. */
import { PASSWORD } from '../session.mjs'

export async function sign_up(auth) {
  await auth.signUp('Sign-Up@example.org', { data: { n: 1, x: null, o: { a: [1], b: null } } })
  await auth.rows('signed up')
  await auth.signUp('sign-up@example.org')
  await auth.rows('signed up again', ['users', 'sessions'])
  await auth.signIn('sign-up@example.org')
  await auth.rows('signed in')
}

/** Unusual addresses, passwords and combinations of fields. */
export async function sign_up_values(auth) {
  const addresses = [
    'a',
    'a@b',
    'a@b.c',
    ' space@example.org ',
    'ü@example.org',
    'x y@example.org',
    `${'a'.repeat(250)}@example.org`,
    'q"q@example.org',
    "o'q@example.org",
    'a+b@example.org',
    'a@-example.org',
    'a@example..org',
    '.a@example.org',
    'a@[127.0.0.1]',
    '@example.org',
    'a@',
  ]
  for (const email of addresses) await auth.post('/signup', { email, password: PASSWORD }, { brief: true })
  const passwords = ['short', 'x'.repeat(72), 'x'.repeat(73), 'é'.repeat(36), 'é'.repeat(37), ' '.repeat(8), '12345é', 'éééé']
  for (const [n, password] of passwords.entries()) await auth.post('/signup', { email: `password-${n}@example.org`, password }, { brief: true })
  const numbers = ['abc', '123', '+441234567828', '+44 1234 567829', '0044123', '+0123456789', '4412345678901234', '44123456783a']
  for (const phone of numbers) await auth.post('/signup', { phone, password: PASSWORD }, { brief: true })
  await auth.post('/signup', { email: 'both@example.org', phone: '441234567827', password: PASSWORD }, { brief: true })
  await auth.post('/signup', { phone: '441234567830', password: PASSWORD, channel: 'other' }, { brief: true })
  await auth.post('/signup', { EMAIL: 'case@example.org', Password: PASSWORD }, { brief: true })
  await auth.post('/signup', { email: 'unknown-field@example.org', password: PASSWORD, other: 1 }, { brief: true })
}

/** Parameters of PKCE, of which one is missing or wrong. */
export async function sign_up_challenges(auth) {
  const challenges = ['', 'x', 'x'.repeat(42), 'x'.repeat(43), 'x'.repeat(128), 'x'.repeat(129), 'x!'.repeat(25)]
  for (const code_challenge of challenges) {
    for (const code_challenge_method of [undefined, '', 's256', 'S256', 'plain']) {
      await auth.removeUsers()
      await auth.signUp('challenge@example.org', { code_challenge, code_challenge_method }, { brief: true })
    }
  }
}
