/** A WebAuthn authenticator in software (ES256). Tests can make it return wrong values. */
import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'

const PRESENT = 0x01
const VERIFIED = 0x04
const HAS_CREDENTIAL = 0x40
const sha256 = (bytes) => createHash('sha256').update(bytes).digest()
const encoded = (bytes) => Buffer.from(bytes).toString('base64url')
const length = (size) => (size < 256 ? Buffer.from([0x58, size]) : Buffer.from([0x59, size >> 8, size & 255]))
const text = (value) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
const bytes = (value) => Buffer.concat([length(value.length), value])

/** A passkey. It is created first and then used. `wrong` replaces parts of a response. */
export class Authenticator {
  constructor(origin) {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    Object.assign(this, { origin, privateKey, jwk: publicKey.export({ format: 'jwk' }), id: randomBytes(32), count: 0 })
  }

  #data(party, flags, more = Buffer.alloc(0)) {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.count)
    return Buffer.concat([sha256(party), Buffer.from([flags]), counter, more])
  }

  #client(type, challenge, origin) {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  }

  #answer(response) {
    return { id: encoded(this.id), rawId: encoded(this.id), type: 'public-key', response, clientExtensionResults: {} }
  }

  /** Returns the result of `navigator.credentials.create`. */
  create({ challenge, rp, user }, { origin = this.origin, verified = true } = {}) {
    const [x, y] = [this.jwk.x, this.jwk.y].map((part) => Buffer.from(part, 'base64url'))
    this.user = user.id
    const key = Buffer.concat([Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21]), bytes(x), Buffer.from([0x22]), bytes(y)])
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, this.id.length]), this.id, key])
    const data = this.#data(rp.id, PRESENT | (verified ? VERIFIED : 0) | HAS_CREDENTIAL, credential)
    const attestation = Buffer.concat([Buffer.from([0xa3]), text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0]), text('authData'), bytes(data)])
    return this.#answer({ clientDataJSON: encoded(this.#client('webauthn.create', challenge, origin)), attestationObject: encoded(attestation), transports: ['internal'] })
  }

  /** Returns the result of `navigator.credentials.get`. */
  get({ challenge, rpId }, { origin = this.origin, party = rpId, verified = true, type = 'webauthn.get', user = this.user, count = this.count + 1, key = this.privateKey } = {}) {
    this.count = count
    const client = this.#client(type, challenge, origin)
    const data = this.#data(party, PRESENT | (verified ? VERIFIED : 0))
    const signature = createSign('sha256').update(Buffer.concat([data, sha256(client)])).sign(key)
    return this.#answer({ clientDataJSON: encoded(client), authenticatorData: encoded(data), signature: encoded(signature), userHandle: user })
  }
}
