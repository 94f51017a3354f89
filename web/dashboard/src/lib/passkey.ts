/** Passkeys in this browser: the two ceremonies of WebAuthn, with what goes wrong in words for a person. */
import { post } from './api'
import type { Operator } from './session'

/** A challenge of the server, with what the browser is to be asked. */
interface Asked<Options> {
  challenge_id: string
  /** Where a page has to be: passkeys belong to a name. */
  address: string | null
  options: Options
}

export interface Answer {
  challenge_id: string
  credential: unknown
}

/** Whether this browser, at this address, has passkeys at all: they need https, or this machine. */
export const hasPasskeys = () =>
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential

/** Whether a page at an address may use the passkeys of the server there. */
export const isAtAddress = (address: string | null) => address !== null && new URL(address).origin === window.location.origin

const sentences: Record<string, string> = {
  NotAllowedError: 'No passkey was given: it was cancelled, or took too long.',
  AbortError: 'No passkey was given: it was cancelled, or took too long.',
  InvalidStateError: 'This device has a passkey of yours already.',
  SecurityError: 'This browser gives no passkeys to this address.',
}

/** Asks the browser, and hands on what it says in words. */
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

/** A passkey of whoever sits here, to sign in with. */
export const signInAnswer = async () => pick(await post('/session/passkey/options'))

/** What is sent as proof that it is still the operator who sits here: the password, or a passkey where there is no password. */
export type Proof = { password: string } | { passkey: Answer }

export async function proofOf({ password: hasPassword }: Operator, password: string): Promise<Proof> {
  return hasPassword ? { password } : { passkey: await pick(await post('/session/passkeys/confirm')) }
}

/** Makes a passkey on this device, and adds it. */
export async function addPasskey(proof: Proof, name: string) {
  const asked = await post<Asked<PublicKeyCredentialCreationOptionsJSON>>('/session/passkeys/options', proof)
  const answer = await ceremony(asked, (options) =>
    navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
  )
  return post('/session/passkeys', { ...answer, ...(name.trim() === '' ? {} : { name: name.trim() }) })
}
