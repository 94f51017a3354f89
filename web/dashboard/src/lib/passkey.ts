/** Creates and uses passkeys in this browser (the two ceremonies of WebAuthn). Errors have messages for operators. */
import { post } from './api'
import type { Operator } from './session'

/** A challenge from the server, together with the options for the browser. */
interface Asked<Options> {
  challenge_id: string
  /** Address at which passkeys can be used, because a passkey is bound to a host name. Null if the server has no host name. */
  address: string | null
  options: Options
}

export interface Answer {
  challenge_id: string
  credential: unknown
}

/** Whether passkeys can be used in this browser at this address. They need https or localhost. */
export const hasPasskeys = () =>
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential

/** Whether this page is at the address at which the server's passkeys can be used. */
export const isAtAddress = (address: string | null) => address !== null && new URL(address).origin === window.location.origin

const sentences: Record<string, string> = {
  NotAllowedError: 'No passkey was given: it was cancelled, or took too long.',
  AbortError: 'No passkey was given: it was cancelled, or took too long.',
  InvalidStateError: 'This device has a passkey of yours already.',
  SecurityError: 'This browser gives no passkeys to this address.',
}

/** Calls the browser's WebAuthn API, and converts its errors to messages for operators. */
async function ceremony<Options>(
  asked: Asked<Options>,
  run: (options: Options) => Promise<Credential | null>,
): Promise<Answer> {
  if (!isAtAddress(asked.address)) throw new Error(`Passkeys work at ${asked.address ?? 'no address'} only: open it there.`)
  try {
    const credential = await run(asked.options)
    if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser gave no passkey.')
    return { challenge_id: asked.challenge_id, credential: credential.toJSON() }
  } catch (error) {
    const known = error instanceof DOMException ? sentences[error.name] : undefined
    throw known === undefined ? error : new Error(known, { cause: error })
  }
}

const pick = (asked: Asked<PublicKeyCredentialRequestOptionsJSON>) =>
  ceremony(asked, (options) =>
    navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
  )

/** Asks the browser for a passkey. Returns the browser's answer, which is sent to the server to sign in. */
export const signInAnswer = async () => pick(await post('/session/passkey/options'))

/** Proof that the person at the browser is still the signed-in operator: the password, or a passkey if the account has no password. */
export type Proof = { password: string } | { passkey: Answer }

export async function proofOf({ password: hasPassword }: Operator, password: string): Promise<Proof> {
  return hasPassword ? { password } : { passkey: await pick(await post('/session/passkeys/confirm')) }
}

/** Creates a passkey on this device, and adds it to the account. */
export async function addPasskey(proof: Proof, name: string) {
  const asked = await post<Asked<PublicKeyCredentialCreationOptionsJSON>>('/session/passkeys/options', proof)
  const answer = await ceremony(asked, (options) =>
    navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
  )
  return post('/session/passkeys', { ...answer, ...(name.trim() === '' ? {} : { name: name.trim() }) })
}
