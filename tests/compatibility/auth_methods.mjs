/** Probes for the client's auth methods. `own` is the client of a user, `admin` is the administrator's API. */
import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto'

import { authLink, messageTo } from '../support/inbox.mjs'
import { memoryClient } from '../support/memory_client.mjs'
import { expect, good } from './table.mjs'

const email = 'ann@club.example'
const password = 'a long enough password'
const anotherPassword = 'another long password'

/** Returns the TOTP code (RFC 6238) for a base32 secret. */
const totp = (secret) => {
  const bits = [...secret].map((c) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30000)))
  const mac = createHmac('sha1', key).update(counter).digest()
  return String((mac.readUInt32BE(mac.at(-1) & 15) & 0x7fffffff) % 1e6).padStart(6, '0')
}

const session = (data) => expect(data.session?.access_token, 'a session')
const code = async ({ cloch }, to) => /\b(\d{6})\b/.exec((await messageTo(cloch.url, to)).text)[1]
const missing = (why, call) => ({ missing: why, probe: async (context) => good(await call(context)) })
const id = '00000000-0000-4000-8000-000000000000'
const noCredential = { id: 'AA', rawId: 'AA', type: 'public-key', response: { clientDataJSON: 'AA', attestationObject: 'AA', authenticatorData: 'AA', signature: 'AA' }, clientExtensionResults: {} }

/** A provider whose URLs these tests do not request. */
const customProvider = {
  provider_type: 'oauth2', identifier: 'custom:x', name: 'x', client_id: 'x', client_secret: 'x',
  authorization_url: 'https://1.1.1.1/authorize', token_url: 'https://1.1.1.1/token', userinfo_url: 'https://1.1.1.1/userinfo',
}

/** Returns a message that a new Solana wallet has signed. */
function signedByWallet() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const address = base58(Buffer.from(publicKey.export({ format: 'jwk' }).x, 'base64url'))
  const message = `club.example wants you to sign in with your Solana account:\n${address}\n\nURI: https://club.example/\nVersion: 1\nNonce: ${randomUUID()}\nIssued At: ${new Date().toISOString()}`
  return { message, signature: new Uint8Array(sign(null, Buffer.from(message), privateKey)) }
}

function base58(bytes) {
  let number = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  for (; number > 0n; number /= 58n) text = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'[Number(number % 58n)] + text
  for (const byte of bytes) {
    if (byte !== 0) break
    text = `1${text}`
  }
  return text
}

/** Creates an authorization request of an application. The request waits for the user's consent. */
async function request({ cloch, application }, more = '') {
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
  const query = `client_id=${application.client_id}&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&code_challenge=${challenge}&code_challenge_method=S256${more}`
  const answer = await fetch(`${cloch.url}/auth/v1/oauth/authorize?${query}`, { redirect: 'manual' })
  return new URL(answer.headers.get('location')).searchParams.get('authorization_id')
}

/** The probes, in the order in which a user would call the methods. */
export const authMethods = {
  'auth.initialize': async ({ own }) => expect(!(await own.auth.initialize()).error, 'no error'),
  'auth.onAuthStateChange': ({ own, heard }) => void own.auth.onAuthStateChange((event) => heard.push(event)),
  'auth.signUp': async ({ own }) => session(good(await own.auth.signUp({ email, password }))),
  'auth.getSession': async ({ own }) => session(good(await own.auth.getSession())),
  'auth.getUser': async ({ own }) => expect(good(await own.auth.getUser()).user.email === email, 'the user'),
  'auth.getClaims': async ({ own }) => expect(good(await own.auth.getClaims()).claims.email === email, 'claims'),
  'auth.refreshSession': async ({ own }) => session(good(await own.auth.refreshSession())),
  'auth.setSession': async ({ own }) => session(good(await own.auth.setSession(good(await own.auth.getSession()).session))),
  'auth.updateUser': async ({ own }) => good(await own.auth.updateUser({ data: { a: 1 } })),
  'auth.reauthenticate': async ({ own }) => good(await own.auth.reauthenticate()),
  'auth.getUserIdentities': async (context) => expect((context.identity = good(await context.own.auth.getUserIdentities()).identities[0]), 'an identity'),
  'auth.unlinkIdentity': async ({ own, identity }) => expect((await own.auth.unlinkIdentity(identity)).error?.code === 'single_identity_not_deletable', 'the last one stays'),
  'auth.linkIdentity': async ({ own }) => expect(good(await own.auth.linkIdentity({ provider: 'github', options: { skipBrowserRedirect: true } })).url, 'an address'),
  'auth.mfa.enroll': async (context) => expect((context.factor = good(await context.own.auth.mfa.enroll({ factorType: 'totp' }))).totp.qr_code, 'a picture'),
  'auth.mfa.challenge': async (context) => (context.challenge = good(await context.own.auth.mfa.challenge({ factorId: context.factor.id }))),
  'auth.mfa.verify': async ({ own, factor, challenge }) => good(await own.auth.mfa.verify({ factorId: factor.id, challengeId: challenge.id, code: totp(factor.totp.secret) })),
  'auth.mfa.getAuthenticatorAssuranceLevel': async ({ own }) => expect(good(await own.auth.mfa.getAuthenticatorAssuranceLevel()).currentLevel === 'aal2', 'aal2'),
  'auth.mfa.listFactors': async ({ own }) => expect(good(await own.auth.mfa.listFactors()).totp.length === 1, 'a factor'),
  'auth.mfa.unenroll': async ({ own, factor }) => good(await own.auth.mfa.unenroll({ factorId: factor.id })),
  'auth.mfa.challengeAndVerify': async ({ own }) => {
    const factor = good(await own.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'second' }))
    good(await own.auth.mfa.challengeAndVerify({ factorId: factor.id, code: totp(factor.totp.secret) }))
    good(await own.auth.mfa.unenroll({ factorId: factor.id }))
  },
  'auth.startAutoRefresh': async ({ own }) => own.auth.startAutoRefresh(),
  'auth.stopAutoRefresh': async ({ own }) => own.auth.stopAutoRefresh(),
  'auth.signOut': async ({ own, heard }) => {
    expect(!(await own.auth.signOut()).error, 'no error')
    expect(heard.includes('SIGNED_OUT'), 'the event')
  },
  'auth.signInWithPassword': async ({ own }) => session(good(await own.auth.signInWithPassword({ email, password }))),
  'auth.resetPasswordForEmail': async ({ own, cloch }) => {
    good(await own.auth.resetPasswordForEmail(email))
    expect(authLink(await messageTo(cloch.url, email, /reset|password/i)), 'a link')
  },
  'auth.signInWithOtp': async ({ own }) => good(await own.auth.signInWithOtp({ email: 'otp@club.example' })),
  'auth.verifyOtp': async (context) => session(good(await context.own.auth.verifyOtp({ email: 'otp@club.example', token: await code(context, 'otp@club.example'), type: 'email' }))),
  'auth.resend': async ({ own }) => good(await own.auth.resend({ type: 'signup', email: 'nobody@club.example' })),
  'auth.signInAnonymously': async ({ own }) => expect(good(await own.auth.signInAnonymously()).user.is_anonymous, 'an anonymous user'),
  'auth.signInWithOAuth': async ({ own }) => expect((await fetch(good(await own.auth.signInWithOAuth({ provider: 'github', options: { skipBrowserRedirect: true } })).url, { redirect: 'manual' })).status === 302, 'the way to the provider'),
  'auth.exchangeCodeForSession': async ({ cloch }) => {
    const own = memoryClient(cloch.url, cloch.anonKey, 'pkce')
    good(await own.auth.signInWithOtp({ email: 'pkce@club.example' }))
    const answer = await fetch(authLink(await messageTo(cloch.url, 'pkce@club.example')), { redirect: 'manual' })
    session(good(await own.auth.exchangeCodeForSession(new URL(answer.headers.get('location')).searchParams.get('code'))))
  },
  'auth.signInWithIdToken': async ({ own }) => expect((await own.auth.signInWithIdToken({ provider: 'github', token: 'a.b.c' })).error?.code === 'validation_failed', 'what is no id token is refused'),
  'auth.signInWithSSO': missing('no SAML', ({ own }) => own.auth.signInWithSSO({ domain: 'club.example' })),
  'auth.signInWithWeb3': async ({ cloch }) => session(good(await memoryClient(cloch.url, cloch.anonKey).auth.signInWithWeb3({ chain: 'solana', ...signedByWallet() }))),
  'auth.dispose': async ({ cloch }) => memoryClient(cloch.url, cloch.anonKey).auth.dispose(),
  'auth.registerPasskey': async ({ own }) => {
    session(good(await own.auth.signInWithPassword({ email, password })))
    expect(good(await own.auth.passkey.startRegistration()).options.challenge, 'a challenge; tests/browser/auth has the ceremony')
  },
  'auth.signInWithPasskey': async ({ own }) => expect(good(await own.auth.passkey.startAuthentication()).options.challenge, 'a challenge'),
  'auth.passkey.startRegistration': async (context) => expect((context.registration = good(await context.own.auth.passkey.startRegistration())).options.rp.id, 'a relying party'),
  'auth.passkey.verifyRegistration': async ({ own, registration }) => expect((await own.auth.passkey.verifyRegistration({ challengeId: registration.challenge_id, credential: noCredential })).error?.code === 'webauthn_verification_failed', 'what is no credential is refused'),
  'auth.passkey.startAuthentication': async (context) => expect((context.authentication = good(await context.own.auth.passkey.startAuthentication())).options.rpId, 'a relying party'),
  'auth.passkey.verifyAuthentication': async ({ own, authentication }) => expect((await own.auth.passkey.verifyAuthentication({ challengeId: authentication.challenge_id, credential: noCredential })).error?.code === 'webauthn_verification_failed', 'what is no credential is refused'),
  'auth.passkey.list': async ({ own }) => expect(good(await own.auth.passkey.list()).length === 0, 'an empty list'),
  'auth.passkey.update': async ({ own }) => expect((await own.auth.passkey.update({ passkeyId: id, friendlyName: 'x' })).error?.code === 'validation_failed', 'an unknown one is refused'),
  'auth.passkey.delete': async ({ own }) => expect((await own.auth.passkey.delete({ passkeyId: id })).error?.code === 'validation_failed', 'an unknown one is refused'),
  'auth.oauth.getAuthorizationDetails': async (context) => {
    context.application = good(await context.admin.oauth.createClient({ client_name: 'x', redirect_uris: ['https://app.example/cb'] }))
    const { own } = context
    expect(good(await own.auth.oauth.getAuthorizationDetails((context.request = await request(context)))).client.name === 'x', 'the application')
  },
  'auth.oauth.approveAuthorization': async ({ own, request }) => expect(/[?&]code=/.test(good(await own.auth.oauth.approveAuthorization(request, { skipBrowserRedirect: true })).redirect_url), 'a code'),
  'auth.oauth.denyAuthorization': async (context) => {
    const id = await request(context, '&prompt=consent')
    good(await context.own.auth.oauth.getAuthorizationDetails(id))
    expect(/error=access_denied/.test(good(await context.own.auth.oauth.denyAuthorization(id, { skipBrowserRedirect: true })).redirect_url), 'the refusal')
  },
  'auth.oauth.listGrants': async ({ own }) => expect(good(await own.auth.oauth.listGrants()).length === 1, 'a grant'),
  'auth.oauth.revokeGrant': async ({ own, application }) => expect(!(await own.auth.oauth.revokeGrant({ clientId: application.client_id })).error, 'no error'),

  'auth.admin.createUser': async (context) => (context.made = good(await context.admin.createUser({ email: `${randomUUID()}@club.example`, password, email_confirm: true })).user),
  'auth.admin.listUsers': async ({ admin }) => expect(good(await admin.listUsers()).users.length > 0, 'users'),
  'auth.admin.getUserById': async ({ admin, made }) => expect(good(await admin.getUserById(made.id)).user.id === made.id, 'the user'),
  'auth.admin.updateUserById': async ({ admin, made }) => good(await admin.updateUserById(made.id, { password: anotherPassword })),
  'auth.admin.inviteUserByEmail': async ({ admin, cloch }) => {
    good(await admin.inviteUserByEmail('invited@club.example'))
    expect(authLink(await messageTo(cloch.url, 'invited@club.example')), 'a link')
  },
  'auth.admin.generateLink': async ({ admin }) => expect(good(await admin.generateLink({ type: 'magiclink', email })).properties.action_link, 'a link'),
  'auth.admin.mfa.listFactors': async (context) => {
    const { cloch, admin, made } = context
    const own = memoryClient(cloch.url, cloch.anonKey)
    good(await own.auth.signInWithPassword({ email: made.email, password: anotherPassword }))
    good(await own.auth.mfa.enroll({ factorType: 'totp' }))
    context.member = own
    expect((context.factor = good(await admin.mfa.listFactors({ userId: made.id })).factors[0]), 'a factor')
  },
  'auth.admin.mfa.deleteFactor': async ({ admin, made, factor }) => good(await admin.mfa.deleteFactor({ id: factor.id, userId: made.id })),
  'auth.admin.signOut': async ({ admin, member }) => expect(!(await admin.signOut(good(await member.auth.getSession()).session.access_token)).error, 'no error'),
  'auth.admin.deleteUser': async ({ admin, made }) => good(await admin.deleteUser(made.id)),
  'auth.admin.oauth.listClients': async ({ admin }) => expect(good(await admin.oauth.listClients()).clients.length === 1, 'a client'),
  'auth.admin.oauth.createClient': async (context) => expect((context.another = good(await context.admin.oauth.createClient({ client_name: 'y', redirect_uris: ['https://club.example'] }))).client_secret, 'a secret'),
  'auth.admin.oauth.getClient': async ({ admin, another }) => expect(good(await admin.oauth.getClient(another.client_id)).client_name === 'y', 'the client'),
  'auth.admin.oauth.updateClient': async ({ admin, another }) => expect(good(await admin.oauth.updateClient(another.client_id, { client_name: 'z' })).client_name === 'z', 'the change'),
  'auth.admin.oauth.regenerateClientSecret': async ({ admin, another }) => expect(good(await admin.oauth.regenerateClientSecret(another.client_id)).client_secret !== another.client_secret, 'another secret'),
  'auth.admin.oauth.deleteClient': async ({ admin, another }) => expect(!(await admin.oauth.deleteClient(another.client_id)).error, 'no error'),
  'auth.admin.customProviders.createProvider': async ({ admin }) => expect(good(await admin.customProviders.createProvider(customProvider)).identifier === 'custom:x', 'the provider'),
  'auth.admin.customProviders.listProviders': async ({ admin }) => expect(good(await admin.customProviders.listProviders()).providers.length === 1, 'a provider'),
  'auth.admin.customProviders.getProvider': async ({ admin }) => expect(good(await admin.customProviders.getProvider('custom:x')).name === 'x', 'the provider'),
  'auth.admin.customProviders.updateProvider': async ({ admin }) => expect(good(await admin.customProviders.updateProvider('custom:x', { name: 'y' })).name === 'y', 'the change'),
  'auth.admin.customProviders.deleteProvider': async ({ admin }) => expect(!(await admin.customProviders.deleteProvider('custom:x')).error, 'no error'),
  'auth.admin.passkey.listPasskeys': async (context) => {
    context.owner = good(await context.admin.createUser({ email: `${randomUUID()}@club.example`, password })).user.id
    expect(good(await context.admin.passkey.listPasskeys({ userId: context.owner })).length === 0, 'an empty list')
  },
  'auth.admin.passkey.deletePasskey': async ({ admin, owner }) => expect((await admin.passkey.deletePasskey({ userId: owner, passkeyId: id })).error?.code === 'validation_failed', 'an unknown one is refused'),
}
