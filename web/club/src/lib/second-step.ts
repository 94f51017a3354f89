import type { Factor } from '@supabase/supabase-js'
import { apiUrl, getConfig } from './config'
import { connect } from './supabase'

/**
 * Whether the signed-in user still has to enter the code of the second factor. This is not necessary after a sign-in with a passkey, because then the
 * device has verified the user. The database applies the same rule (`club.is_strong_enough`).
 * @throws if the server does not respond
 */
export async function owesSecondStep(): Promise<boolean> {
  const factors = await listFactors()
  if (!factors.some(({ status }) => status === 'verified')) return false
  const supabase = await connect()
  const level = await supabase.auth.mfa.getAuthenticatorAssuranceLevel()
  if (level.error) throw level.error
  const { currentLevel, currentAuthenticationMethods } = level.data
  return currentLevel !== 'aal2' && !currentAuthenticationMethods.some(wasPasskey)
}

function wasPasskey(entry: unknown): boolean {
  return typeof entry === 'object' && entry !== null && 'method' in entry && entry.method === 'passkey'
}

/** All factors of the account, verified or not. `mfa.listFactors` is not used: in supabase-js 2.109 it fails if the account has recovery codes. */
export async function listFactors(): Promise<Factor[]> {
  const supabase = await connect()
  const { data, error } = await supabase.auth.getUser()
  if (error) throw error
  return data.user.factors ?? []
}

/** The authenticator app's factor, if it has been set up. */
export const appOf = (factors: Factor[]) => factors.find((one) => one.factor_type === 'totp' && one.status === 'verified')

/** Confirms the second factor with the code that the app shows now. */
export async function proveByApp(code: string): Promise<void> {
  const supabase = await connect()
  const factor = appOf(await listFactors())
  if (!factor) throw new Error('No app is set up for this account.')
  const proved = await supabase.auth.mfa.challengeAndVerify({ factorId: factor.id, code: code.replace(/\s/g, '') })
  if (proved.error) throw proved.error
}

/** Confirms the second factor with a printed recovery code. The code cannot be used again. */
export async function proveByRecoveryCode(code: string): Promise<void> {
  const session = (await callRecoveryCodes('POST', '/verify', { code })) as { access_token: string; refresh_token: string }
  const supabase = await connect()
  const { error } = await supabase.auth.setSession({ access_token: session.access_token, refresh_token: session.refresh_token })
  if (error) throw error
}

/**
 * Sends a request about the recovery codes of this account, for which supabase-js has no method. Returns `undefined` if the account has none.
 * @throws an error with the server's message
 */
export async function callRecoveryCodes(method: 'GET' | 'POST', path = '', body?: object): Promise<unknown> {
  const supabase = await connect()
  const { data } = await supabase.auth.getSession()
  const answer = await fetch(`${apiUrl()}/auth/v1/factors/recovery-codes${path}`, {
    method,
    headers: {
      apikey: getConfig()?.anonKey ?? '',
      authorization: `Bearer ${data.session?.access_token ?? ''}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const said = (await answer.json()) as { error_code?: string; msg?: string }
  if (answer.ok) return said
  if (method === 'GET' && said.error_code === 'mfa_factor_not_found') return undefined
  throw new Error(said.msg ?? `The server answered ${answer.status}`)
}
