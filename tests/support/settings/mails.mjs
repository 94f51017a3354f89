/** Proofs of the settings of providers, hooks, mails and the mail server. A `*` in a key is replaced by the name for which the proof runs. */
import { createHmac, randomBytes } from 'node:crypto'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { authLink } from '../inbox.mjs'
import { totp } from '../totp.mjs'
import { freePort, sleep } from '../program.mjs'
import { PASSWORD, SMS } from './world.mjs'

const provider = (w, name) => ({
  [`auth.external.${name}.enabled`]: true,
  [`auth.external.${name}.client_id`]: 'first-id',
  [`auth.external.${name}.secret`]: 'secret-of-a-proof',
  ...(hasUrl.includes(name) && { [`auth.external.${name}.url`]: `${w.hooks.url}/first` }),
})
/** Providers whose server has a configurable URL. */
const hasUrl = ['azure', 'gitlab', 'keycloak']
/** Providers whose configuration is at a fixed URL on the internet, which the server reads first. */
const onInternet = ['apple', 'google', 'linkedin_oidc']
const ON_INTERNET = 'The server reads what the provider publishes on the internet first; oauth.test.mjs does it with a provider of its own.'
const authorize = (name) => async (w) => (await w.fetch(`/auth/v1/authorize?provider=${name}`)).headers.get('location') ?? ''
const OTHER_SECRET = 'another-secret-of-a-proof'
/** Whether the server sends the changed secret to the provider when a user returns from the provider. */
const isSentTo = (name) => async (w) => {
  const state = new URL(await authorize(name)(w)).searchParams.get('state')
  const before = w.hooks.calls.length
  await w.fetch(`/auth/v1/callback?code=a-code&state=${encodeURIComponent(state)}`)
  const decoded = ({ authorization = '' }) => Buffer.from(authorization.split(' ')[1] ?? '', 'base64').toString()
  return w.hooks.calls.slice(before).some(({ headers, body }) => `${body} ${decoded(headers)}`.includes(OTHER_SECRET))
}
const without = (settings, key) => Object.fromEntries(Object.entries(settings).filter(([one]) => one !== key))

/** Actions that make the server call a hook, by the hook's name. */
const CALLS = {
  before_user_created: (w) => w.signUp(),
  after_user_created: (w) => w.fetch('/auth/v1/invite', { key: w.server.serviceKey, body: { email: w.address() } }),
  custom_access_token: (w) => w.user(),
  password_verification_attempt: (w) => w.user(),
  send_email: async (w) => w.fetch('/auth/v1/recover', { body: { email: (await w.user()).email } }),
  send_sms: (w) => w.fetch('/auth/v1/otp', { body: { phone: w.phone() } }),
  mfa_verification_attempt: async (w) => verified(w),
}
/** Creates a user with a verified second factor. */
async function verified(w) {
  const { token, ...user } = await w.user()
  const { id, totp: made } = await (await w.factor(token)).json()
  const { id: challenge_id } = await w.json(`/auth/v1/factors/${id}/challenge`, { token, body: {} })
  const { access_token } = await w.json(`/auth/v1/factors/${id}/verify`, { token, body: { challenge_id, code: totp(made.secret) } })
  return { ...user, token: access_token, factor: id }
}
const TOTP = { 'auth.mfa.totp.enroll_enabled': true, 'auth.mfa.totp.verify_enabled': true }
const forHook = (name) => (name === 'send_sms' ? { 'auth.sms.enable_signup': true } : name.startsWith('mfa') ? TOTP : {})
const secretOf = () => randomBytes(32).toString('base64')
const [firstSecret, secondSecret] = [secretOf(), secretOf()]
const hook = (w, name) => ({
  ...forHook(name),
  [`auth.hook.${name}.enabled`]: true,
  [`auth.hook.${name}.uri`]: `${w.hooks.url}/first/${name}`,
  [`auth.hook.${name}.secrets`]: `v1,whsec_${firstSecret}`,
})
/** Returns the calls of a hook that its action has caused. */
const called = (name) => async (w) => {
  const before = w.hooks.calls.length
  await CALLS[name](w)
  const own = () => w.hooks.calls.slice(before).filter(({ path }) => path.endsWith(name))
  for (let attempt = 0; attempt < 40 && own().length === 0; attempt += 1) await sleep(25)
  return own()
}
const isSignedWith = (secret, call) => {
  if (call === undefined) return 'not called'
  const { headers, body } = call
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  return headers['webhook-signature'] === `v1,${createHmac('sha256', Buffer.from(secret, 'base64')).update(signed).digest('base64')}`
}

/** Actions that make the server send a mail, by the kind of the mail. Each returns the address. */
const SENDS = {
  confirmation: async (w) => {
    const email = w.address()
    await w.signUp({ email })
    return email
  },
  invite: async (w) => {
    const email = w.address()
    await w.fetch('/auth/v1/invite', { key: w.server.serviceKey, body: { email } })
    return email
  },
  recovery: (w) => sent(w, (email) => w.fetch('/auth/v1/recover', { body: { email } })),
  magic_link: (w) => sent(w, (email) => w.fetch('/auth/v1/otp', { body: { email } })),
  email_change: async (w) => {
    const [{ token }, email] = [await w.user(), w.address()]
    await w.fetch('/auth/v1/user', { token, method: 'PUT', body: { email } })
    return email
  },
  reauthentication: (w) => sent(w, (_, token) => w.fetch('/auth/v1/reauthenticate', { token })),
  password_changed: (w) => sent(w, (_, token) => w.fetch('/auth/v1/user', { token, method: 'PUT', body: { password: `${PASSWORD} 2` } })),
  email_changed: (w) =>
    sent(w, async (_, token) => {
      const next = w.address()
      await w.fetch('/auth/v1/user', { token, method: 'PUT', body: { email: next } })
      await fetch(authLink((await w.mails(next))[0]), { redirect: 'manual' })
    }),
  phone_changed: (w) => sent(w, (_, token) => newPhone(w, token), { phone: w.phone(), phone_confirm: true }),
  // The first phone number of a user is a new identity.
  identity_linked: (w) => sent(w, (_, token) => newPhone(w, token)),
  identity_unlinked: (w) =>
    sent(
      w,
      async (_, token) => {
        const { identities } = await w.json('/auth/v1/user', { token })
        const { identity_id } = identities.find(({ provider }) => provider === 'phone')
        await w.fetch(`/auth/v1/user/identities/${identity_id}`, { token, method: 'DELETE' })
      },
      { phone: w.phone(), phone_confirm: true },
    ),
  mfa_factor_enrolled: async (w) => (await verified(w)).email,
  mfa_factor_unenrolled: async (w) => {
    const { email, token, factor } = await verified(w)
    await w.fetch(`/auth/v1/factors/${factor}`, { token, method: 'DELETE' })
    return email
  },
}
async function newPhone(w, token) {
  const phone = w.phone()
  await w.fetch('/auth/v1/user', { token, method: 'PUT', body: { phone } })
  await w.fetch('/auth/v1/verify', { body: { type: 'phone_change', phone, token: await w.lastCode() } })
}
async function sent(w, send, more = {}) {
  const { email, token } = await w.user(more)
  await send(email, token)
  return email
}
const NEEDS_CONFIRMATION = ['confirmation', 'email_change']
const forMail = (kind) => ({
  ...(NEEDS_CONFIRMATION.includes(kind) && { 'auth.email.enable_confirmations': true }),
  ...(kind.startsWith('mfa') && TOTP),
  ...(['phone_changed', 'identity_linked'].includes(kind) && { ...SMS, 'auth.sms.enable_confirmations': true }),
  ...(kind === 'identity_unlinked' && { 'auth.enable_manual_linking': true }),
  // With this setting, only the former address gets the notification.
  ...(kind === 'email_changed' && { 'auth.email.double_confirm_changes': false }),
})
const isOurs = ({ subject, html }) => /Ahoy|From a file/.test(`${subject} ${html}`)

const template = (section, part, to) => (kind) => ({
  to,
  given: { ...forMail(kind), ...(section === 'notification' && { [`auth.email.notification.${kind}.enabled`]: true }) },
  see: async (w) => (await w.mails(await SENDS[kind](w))).some(isOurs),
  from: false,
  then: true,
})

/** Starts a mail server that accepts messages. */
async function smtp(w, flags = []) {
  const script = resolve(import.meta.dirname, '../../../functions/mail/tests/it/support/smtp_server.py')
  const server = spawn(process.env.CLOCH_TEST_PYTHON ?? 'python3', [script, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
  const mails = []
  const lines = createInterface({ input: server.stdout })
  const [first] = await once(lines, 'line')
  lines.on('line', (line) => mails.push(JSON.parse(line)))
  const last = async () => {
    const { email } = await w.user()
    await w.fetch('/auth/v1/recover', { body: { email } })
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const found = mails.find(({ rcpt_tos }) => rcpt_tos[0] === email)
      if (found) return found
      if ((await w.countMails(email)) > 0 && attempt > 100) return undefined
      await sleep(50)
    }
    return undefined
  }
  return { port: JSON.parse(first).port, last, close: () => server.kill() }
}
const server = (port) => ({
  'auth.email.smtp.enabled': true,
  'auth.email.smtp.host': '127.0.0.1',
  'auth.email.smtp.port': port,
  'auth.email.smtp.admin_email': 'club@example.org',
})
const tested = async (w) => (await w.owner.send('POST', '/settings/test-mail', { to: 'somebody@example.org' })).status
/** Returns a proof that runs with a mail server, which `prepare` starts. */
const withServer = (make, flags) => async (w) => {
  const made = await smtp(w, flags)
  return { ...(await make(made)), close: made.close }
}

export const MAILS = {
  'auth.external.*.enabled': (name) => ({
    to: true,
    given: (w) => without(provider(w, name), `auth.external.${name}.enabled`),
    see: async (w) => [(await w.json('/auth/v1/settings')).external[name], (await w.fetch(`/auth/v1/authorize?provider=${name}`)).status === 400],
    from: [false, true],
    then: [true, false],
  }),
  'auth.external.*.client_id': (name) =>
    onInternet.includes(name)
      ? { why: ON_INTERNET }
      : {
          to: 'second-id',
          given: (w) => provider(w, name),
          see: async (w) => (await authorize(name)(w)).includes('client_id=second-id'),
          from: false,
          then: true,
        },
  'auth.external.*.url': (name) =>
    hasUrl.includes(name)
      ? {
          to: (w) => `${w.hooks.url}/second`,
          given: (w) => provider(w, name),
          see: async (w) => (await authorize(name)(w)).startsWith(`${w.hooks.url}/second/`),
          from: false,
          then: true,
        }
      : { why: 'This provider has no server of its own.' },
  'auth.external.*.secret': (name) =>
    hasUrl.includes(name)
      ? { to: OTHER_SECRET, given: (w) => provider(w, name), see: isSentTo(name), from: false, then: true }
      : { why: 'Only the provider gets it; oauth.test.mjs signs in through a provider that checks it.' },
  'auth.external.*.email_optional': () => ({ why: 'It needs a sign-in at the provider; tests of the crate cloch-auth sign in through a stand-in.' }),
  'auth.external.*.skip_nonce_check': () => ({ why: 'It needs an ID token of the provider; tests of the crate cloch-auth have one.' }),
  'auth.hook.*.enabled': (name) => ({
    to: true,
    given: (w) => without(hook(w, name), `auth.hook.${name}.enabled`),
    see: async (w) => (await called(name)(w)).length > 0,
    from: false,
    then: true,
  }),
  'auth.hook.*.uri': (name) => ({
    to: (w) => `${w.hooks.url}/second/${name}`,
    given: (w) => hook(w, name),
    see: async (w) => (await called(name)(w))[0]?.path,
    from: `/first/${name}`,
    then: `/second/${name}`,
  }),
  'auth.hook.*.secrets': (name) => ({
    to: `v1,whsec_${secondSecret}`,
    given: (w) => hook(w, name),
    see: async (w) => isSignedWith(secondSecret, (await called(name)(w))[0]),
    from: false,
    then: true,
  }),
  'auth.email.template.*.subject': template('template', 'subject', 'Ahoy'),
  'auth.email.template.*.content': template('template', 'content', '<p>Ahoy</p>'),
  'auth.email.template.*.text': template('template', 'text', '<p>Ahoy {{ .Email }}</p>\n'),
  'auth.email.template.*.content_path': template('template', 'content_path', './templates/own.html'),
  'auth.email.notification.*.enabled': (kind) => ({
    to: true,
    given: forMail(kind),
    see: async (w) => (await mailsOf(w, kind)) > 0,
    from: false,
    then: true,
  }),
  'auth.email.notification.*.subject': template('notification', 'subject', 'Ahoy'),
  'auth.email.notification.*.content': template('notification', 'content', '<p>Ahoy</p>'),
  'auth.email.notification.*.text': template('notification', 'text', '<p>Ahoy {{ .Email }}</p>\n'),
  'auth.email.notification.*.content_path': template('notification', 'content_path', './templates/own.html'),
  'auth.email.smtp.enabled': withServer(({ port, last }) => ({
    to: false,
    given: server(port),
    see: async () => (await last()) !== undefined,
    from: true,
    then: false,
  })),
  'auth.email.smtp.host': withServer(({ port }) => ({ to: 'localhost.invalid', given: server(port), see: tested, from: 200, then: 409 })),
  'auth.email.smtp.port': withServer(async ({ port }) => ({ to: port, given: server(await freePort()), see: tested, from: 409, then: 200 })),
  'auth.email.smtp.user': withServer(
    ({ port }) => ({ to: 'club', given: { ...server(port), 'auth.email.smtp.user': 'nobody', 'auth.email.smtp.pass': 'secret-of-a-proof' }, see: tested, from: 409, then: 200 }),
    ['--login', 'club:secret-of-a-proof'],
  ),
  'auth.email.smtp.pass': withServer(
    ({ port }) => ({ to: 'secret-of-a-proof 2', given: { ...server(port), 'auth.email.smtp.user': 'club', 'auth.email.smtp.pass': 'secret-of-a-proof' }, see: tested, from: 409, then: 200 }),
    ['--login', 'club:secret-of-a-proof 2'],
  ),
  'auth.email.smtp.admin_email': withServer(({ port, last }) => ({
    to: 'harbour@example.org',
    given: server(port),
    see: async () => (await last())?.mail_from,
    from: 'club@example.org',
    then: 'harbour@example.org',
  })),
  'auth.email.smtp.sender_name': withServer(({ port, last }) => ({
    to: 'The harbour',
    given: server(port),
    see: async () => (await last())?.headers.from.includes('The harbour'),
    from: false,
    then: true,
  })),
}
async function mailsOf(w, kind) {
  const email = await SENDS[kind](w)
  await sleep(300)
  return w.countMails(email)
}
