/**
 * Proofs of the settings of accounts. Each entry has these fields: `to` is the new value; `see` makes requests and returns the observed result;
 * `from` and `then` are the expected results before and after the change; `given` are other settings during the proof.
 */
import { sleep } from '../program.mjs'
import { Authenticator } from '../authenticator.mjs'
import { totp } from '../totp.mjs'
import { PASSWORD, SMS } from './world.mjs'

const WEBAUTHN = { 'auth.webauthn.rp_id': 'localhost', 'auth.webauthn.rp_display_name': 'Club', 'auth.webauthn.rp_origins': ['http://localhost:3000'] }
const PASSKEYS = { ...WEBAUTHN, 'auth.passkey.enabled': true }
const TOTP = { 'auth.mfa.totp.enroll_enabled': true, 'auth.mfa.totp.verify_enabled': true }

const enroll = (body) => async (w) => (await w.factor((await w.user()).token, body)).status
const challenge = (body) => async (w) => {
  const { token } = await w.user()
  const { id } = await (await w.factor(token, body())).json()
  return w.status(`/auth/v1/factors/${id}/challenge`, { token, body: { channel: 'sms', webauthn: { rpId: 'localhost', rpOrigins: ['http://localhost:3000'] } } })
}
const webauthn = () => ({ factor_type: 'webauthn', friendly_name: `${Math.random()}` })
const sms = (w) => w.fetch('/auth/v1/otp', { body: { phone: w.phone() } })
const twice = async (send) => {
  await send()
  return (await send()).status
}
/** The options with which a browser creates a passkey. */
const options = async (w) => {
  const { token } = await w.user()
  const answer = await w.json('/auth/v1/passkeys/registration/options', { token, body: {} })
  return { token, id: answer.challenge_id ?? answer.id, options: answer.options ?? answer }
}
const register = async (w, origin, verified = true) => {
  const { token, id, options: made } = await options(w)
  const credential = new Authenticator(origin).create(made.publicKey ?? made, { origin, verified })
  return w.status('/auth/v1/passkeys/registration/verify', { token, body: { challenge_id: id, credential } })
}
const verifyLater = (type, more = {}) => async (w) => {
  const email = type === 'invite' ? w.address() : (await w.user()).email
  const { hashed_token, verification_type } = await w.link(type, { email, ...more })
  await sleep(1500)
  return w.status('/auth/v1/verify', { body: { token_hash: hashed_token, type: verification_type ?? type } })
}
const newPassword = async (w, change = () => undefined, more = {}) => {
  const { id, token } = await w.user()
  await change(id)
  return w.status('/auth/v1/user', { token, method: 'PUT', body: { password: `${PASSWORD} 2`, ...more } })
}

export const ACCOUNTS = {
  'auth.enable_signup': { to: false, see: async (w) => (await w.signUp()).status, from: 200, then: 422 },
  'auth.enable_anonymous_sign_ins': { to: true, see: (w) => w.status('/auth/v1/signup', { body: {} }), from: 422, then: 200 },
  'auth.anonymous_user_days': { why: 'The server deletes old anonymous users once an hour; tests of the crate cloch-auth run this task with a clock.' },
  'auth.enable_manual_linking': {
    to: true,
    given: { 'auth.external.github.enabled': true, 'auth.external.github.client_id': 'an id', 'auth.external.github.secret': 'secret-of-a-proof' },
    see: async (w) => w.status('/auth/v1/user/identities/authorize?provider=github&skip_http_redirect=true', { token: (await w.user()).token }),
    from: 404,
    then: 200,
  },
  'auth.email.enable_signup': { to: false, see: async (w) => (await w.signUp()).status, from: 200, then: 400 },
  'auth.email.enable_confirmations': { to: true, see: async (w) => 'access_token' in (await (await w.signUp()).json()), from: true, then: false },
  'auth.email.double_confirm_changes': {
    to: false,
    given: { 'auth.email.enable_confirmations': true },
    see: async (w) => {
      const [{ email, token }, next] = [await w.user(), w.address()]
      await w.fetch('/auth/v1/user', { token, method: 'PUT', body: { email: next } })
      await w.mails(next)
      return w.countMails(email)
    },
    from: 1,
    then: 0,
  },
  'auth.email.otp_length': { to: 8, see: async (w) => (await w.link('magiclink', { email: (await w.user()).email })).email_otp.length, from: 6, then: 8 },
  'auth.email.otp_expiry': { to: 1, see: verifyLater('magiclink'), from: 200, then: 403 },
  'auth.email.max_frequency': {
    to: '1h',
    see: async (w) => {
      const { email } = await w.user()
      return twice(() => w.fetch('/auth/v1/recover', { body: { email } }))
    },
    from: 200,
    then: 429,
  },
  'auth.invitation_expiry': { to: 1, see: verifyLater('invite'), from: 200, then: 403 },
  'auth.sms.enable_signup': { to: true, see: async (w) => (await w.json('/auth/v1/settings')).external.phone, from: false, then: true },
  'auth.sms.enable_confirmations': { to: true, see: async (w) => (await w.json('/auth/v1/settings')).phone_autoconfirm, from: true, then: false },
  'auth.sms.template': { why: 'The hook of the proofs gets the code alone; tests of the crate cloch-auth read the text that a provider gets.' },
  'auth.sms.max_frequency': {
    to: '1h',
    given: SMS,
    see: async (w) => {
      const phone = w.phone()
      return twice(() => w.fetch('/auth/v1/otp', { body: { phone } }))
    },
    from: 200,
    then: 429,
  },
  'auth.minimum_password_length': { to: 16, see: async (w) => (await w.signUp()).status, from: 200, then: 422 },
  'auth.password_requirements': { to: 'lower_upper_letters_digits_symbols', see: async (w) => (await w.signUp()).status, from: 200, then: 422 },
  'auth.email.secure_password_change': {
    to: true,
    see: (w) => newPassword(w, (id) => w.sql(`update auth.sessions set created_at = now() - interval '2 days' where user_id = '${id}'`)),
    from: 200,
    then: 400,
  },
  'auth.require_current_password': { to: true, see: (w) => newPassword(w), from: 200, then: 400 },
  'auth.wrong_passwords_per_hour': {
    to: 1,
    see: async (w) => {
      const { email } = await w.user()
      const wrong = () => w.fetch('/auth/v1/token?grant_type=password', { body: { email, password: 'wrong' } })
      await wrong()
      return twice(wrong)
    },
    from: 400,
    then: 429,
  },
  'auth.jwt_expiry': { to: 77, see: async (w) => (await w.user()).life, from: 3600, then: 77 },
  'auth.enable_refresh_token_rotation': {
    to: false,
    given: { 'auth.refresh_token_reuse_interval': 0 },
    see: async (w) => {
      const { refresh } = await w.user()
      const second = (await (await w.refresh(refresh)).json()).refresh_token
      const third = (await (await w.refresh(second)).json()).refresh_token
      // With token rotation, the second use of a refresh token ends the whole session.
      await w.refresh(refresh)
      return (await w.refresh(third)).status
    },
    from: 400,
    then: 200,
  },
  'auth.refresh_token_reuse_interval': {
    to: 0,
    see: async (w) => {
      const { refresh } = await w.user()
      const second = (await (await w.refresh(refresh)).json()).refresh_token
      await w.refresh(second)
      return (await w.refresh(refresh)).status
    },
    from: 200,
    then: 400,
  },
  'auth.sessions.timebox': {
    to: '1s',
    see: async (w) => {
      const { refresh } = await w.user()
      await sleep(1500)
      return (await w.refresh(refresh)).status
    },
    from: 200,
    then: 400,
  },
  'auth.sessions.inactivity_timeout': {
    to: '1s',
    see: async (w) => {
      const { refresh } = await w.user()
      await sleep(1500)
      return (await w.refresh(refresh)).status
    },
    from: 200,
    then: 400,
  },
  'auth.sessions.single_per_user': {
    to: true,
    see: async (w) => {
      const { email, refresh } = await w.user()
      await w.signIn(email)
      return (await w.refresh(refresh)).status
    },
    from: 200,
    then: 400,
  },
  'auth.mfa.totp.enroll_enabled': { to: true, see: enroll(), from: 422, then: 200 },
  'auth.mfa.totp.verify_enabled': { to: true, given: { 'auth.mfa.totp.enroll_enabled': true }, see: challenge(() => undefined), from: 422, then: 200 },
  'auth.mfa.phone.enroll_enabled': { to: true, given: SMS, see: (w) => enroll({ factor_type: 'phone', phone: w.phone() })(w), from: 422, then: 200 },
  'auth.mfa.phone.verify_enabled': {
    to: true,
    given: { ...SMS, 'auth.mfa.phone.enroll_enabled': true },
    see: (w) => challenge(() => ({ factor_type: 'phone', phone: w.phone() }))(w),
    from: 422,
    then: 200,
  },
  'auth.mfa.phone.otp_length': {
    to: 9,
    given: { ...SMS, 'auth.mfa.phone.enroll_enabled': true, 'auth.mfa.phone.verify_enabled': true },
    see: async (w) => {
      await challenge(() => ({ factor_type: 'phone', phone: w.phone() }))(w)
      return (await w.lastCode()).length
    },
    from: 6,
    then: 9,
  },
  'auth.mfa.phone.template': { why: 'The hook of the proofs gets the code alone; tests of the crate cloch-auth read the text that a provider gets.' },
  'auth.mfa.web_authn.enroll_enabled': { to: true, given: WEBAUTHN, see: (w) => enroll(webauthn())(w), from: 422, then: 200 },
  'auth.mfa.web_authn.verify_enabled': { to: true, given: { ...WEBAUTHN, 'auth.mfa.web_authn.enroll_enabled': true }, see: challenge(webauthn), from: 422, then: 200 },
  'auth.mfa.max_enrolled_factors': { to: 0, given: TOTP, see: enroll(), from: 200, then: 422 },
  'auth.recovery_codes': {
    to: false,
    given: TOTP,
    see: async (w) => {
      const { token } = await w.user()
      const { id, totp: made } = await (await w.factor(token)).json()
      const { id: challenge_id } = await w.json(`/auth/v1/factors/${id}/challenge`, { token, body: {} })
      const { access_token } = await w.json(`/auth/v1/factors/${id}/verify`, { token, body: { challenge_id, code: totp(made.secret) } })
      return (await w.status('/auth/v1/factors/recovery-codes', { token: access_token, body: {} })) < 300
    },
    from: true,
    then: false,
  },
  'auth.passkey.enabled': {
    to: true,
    given: WEBAUTHN,
    see: async (w) => (await w.status('/auth/v1/passkeys/registration/options', { token: (await w.user()).token, body: {} })) < 300,
    from: false,
    then: true,
  },
  'auth.webauthn.rp_id': {
    to: 'club.example',
    given: { ...PASSKEYS, 'auth.webauthn.rp_origins': ['http://localhost:3000', 'https://club.example'] },
    see: async (w) => (await options(w)).options.rp?.id,
    from: 'localhost',
    then: 'club.example',
  },
  'auth.webauthn.rp_display_name': { to: 'Rowing club', given: PASSKEYS, see: async (w) => (await options(w)).options.rp?.name, from: 'Club', then: 'Rowing club' },
  'auth.webauthn.rp_origins': {
    to: ['http://localhost:3000', 'http://localhost:4000'],
    given: PASSKEYS,
    see: async (w) => (await register(w, 'http://localhost:4000')) < 300,
    from: false,
    then: true,
  },
  'auth.passkeys_require_verification': {
    to: true,
    given: PASSKEYS,
    see: async (w) => (await options(w)).options.authenticatorSelection?.userVerification,
    from: 'preferred',
    then: 'required',
  },
  'auth.rate_limit.email_sent': {
    to: 0,
    given: { 'auth.email.smtp.enabled': true, 'auth.email.smtp.host': '127.0.0.1', 'auth.email.smtp.port': 9, 'auth.email.smtp.admin_email': 'club@example.org' },
    see: async (w) => w.status('/auth/v1/recover', { body: { email: (await w.user()).email } }),
    from: 200,
    then: 429,
  },
  'auth.rate_limit.sms_sent': { to: 1, given: { ...SMS, 'auth.sms.enable_confirmations': true }, see: (w) => twice(() => sms(w)), from: 200, then: 429 },
  'auth.rate_limit.anonymous_users': {
    to: 1,
    given: { 'auth.enable_anonymous_sign_ins': true },
    see: (w) => twice(() => w.fetch('/auth/v1/signup', { body: {} })),
    from: 200,
    then: 429,
  },
  'auth.rate_limit.sign_in_sign_ups': { to: 1, see: (w) => twice(() => w.signUp()), from: 200, then: 429 },
  'auth.rate_limit.token_refresh': {
    to: 1,
    see: async (w) => {
      const { refresh } = await w.user()
      return twice(() => w.refresh(refresh))
    },
    from: 200,
    then: 429,
  },
  'auth.rate_limit.token_verifications': {
    to: 1,
    see: (w) => twice(() => w.fetch('/auth/v1/verify', { body: { token_hash: 'none', type: 'magiclink' } })),
    from: 403,
    then: 429,
  },
  'auth.rate_limit.web3': {
    to: 1,
    see: (w) => twice(() => w.fetch('/auth/v1/token?grant_type=web3', { body: { chain: 'solana', message: 'none', signature: 'none' } })),
    from: 422,
    then: 429,
  },
  'auth.captcha.enabled': {
    to: true,
    given: { 'auth.captcha.provider': 'turnstile', 'auth.captcha.secret': 'secret-of-a-proof' },
    see: async (w) => (await w.signUp()).status,
    from: 200,
    then: 400,
  },
  'auth.captcha.provider': { why: 'It chooses the address of the service, which these tests cannot reach; tests of the crate cloch-auth ask a stand-in.' },
  'auth.captcha.secret': { why: 'Only the service of the CAPTCHA gets it; tests of the crate cloch-auth ask a stand-in.' },
}
