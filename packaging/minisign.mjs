/**
 * Signatures in minisign's format, which `minisign -Vm FILE -P KEY` verifies without a network:
 *   minisign.mjs new-key                 prints a secret key (PEM) and the public key
 *   minisign.mjs sign FILE COMMENT       writes FILE.minisig; the secret key is in CLOCH_SIGNING_KEY
 *   minisign.mjs verify FILE PUBLIC-KEY  fails if FILE.minisig is no signature of FILE and of its comment by this key
 * The format: https://jedisct1.github.io/minisign/#signature-format
 */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Ed25519 over the BLAKE2b hash of the file, and over the file itself (an older form, which is not accepted). */
const [prehashed, algorithm] = ['ED', 'Ed']
/** The bytes that precede the raw key in the DER form of a public key (RFC 8410). */
const derPrefix = Buffer.from('302a300506032b6570032100', 'hex')
const [keyIdBytes, signatureBytes, keyBytes] = [8, 64, 32]

/** Returns the public key of a secret key, in minisign's format. */
export function publicKey(secret) {
  const raw = createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(derPrefix.length)
  return Buffer.concat([Buffer.from(algorithm), keyId(raw), raw]).toString('base64')
}

/** The text of a signature file. */
export function signed(content, secret, comment) {
  if (/[\r\n]/.test(comment)) throw new Error('a comment is one line')
  const key = createPrivateKey(secret)
  const signature = sign(null, hash(content), key)
  const id = Buffer.from(publicKey(key), 'base64').subarray(2, 2 + keyIdBytes)
  const global = sign(null, Buffer.concat([signature, Buffer.from(comment)]), key)
  const first = Buffer.concat([Buffer.from(prehashed), id, signature]).toString('base64')
  return `untrusted comment: signature of Cloch\n${first}\ntrusted comment: ${comment}\n${global.toString('base64')}\n`
}

/** The trusted comment of a signature. @throws when it is not a signature of the content by the key */
export function verified(content, text, publicText) {
  const [untrusted, first = '', trusted = '', second = ''] = text.split(/\r?\n/)
  const key = Buffer.from(publicText.trim().split(/\r?\n/).at(-1), 'base64')
  const line = Buffer.from(first, 'base64')
  const isComplete = key.length === 2 + keyIdBytes + keyBytes && line.length === 2 + keyIdBytes + signatureBytes
  if (!isComplete || !untrusted.startsWith('untrusted comment: ') || !trusted.startsWith('trusted comment: ')) throw new Error('invalid signature file or key')
  if (line.subarray(0, 2).toString() !== prehashed) throw new Error('unknown algorithm of the signature')
  if (!line.subarray(2, 2 + keyIdBytes).equals(key.subarray(2, 2 + keyIdBytes))) throw new Error('the signature is by another key')
  const raw = createPublicKey({ key: Buffer.concat([derPrefix, key.subarray(2 + keyIdBytes)]), format: 'der', type: 'spki' })
  const signature = line.subarray(2 + keyIdBytes)
  const comment = trusted.slice('trusted comment: '.length)
  if (!verify(null, hash(content), raw, signature)) throw new Error('wrong signature: the file was changed')
  if (!verify(null, Buffer.concat([signature, Buffer.from(comment)]), raw, Buffer.from(second, 'base64'))) throw new Error('wrong signature of the comment')
  return comment
}

const hash = (content) => createHash('blake2b512').update(content).digest()
/** Identifies a key; minisign's own keys have a random number here. */
const keyId = (raw) => createHash('sha256').update(raw).digest().subarray(0, keyIdBytes)

function main([command, file, argument]) {
  if (command === 'new-key') {
    const { privateKey } = generateKeyPairSync('ed25519')
    process.stdout.write(privateKey.export({ format: 'pem', type: 'pkcs8' }))
    process.stdout.write(`${publicKey(privateKey)}\n`)
  } else if (command === 'sign' && argument !== undefined) {
    const secret = process.env.CLOCH_SIGNING_KEY
    if (!secret) throw new Error('CLOCH_SIGNING_KEY is missing')
    writeFileSync(`${file}.minisig`, signed(readFileSync(file), secret, argument))
  } else if (command === 'verify' && argument !== undefined) {
    console.log(verified(readFileSync(file), readFileSync(`${file}.minisig`, 'utf8'), argument))
  } else throw new Error('usage: minisign.mjs new-key | sign FILE COMMENT | verify FILE PUBLIC-KEY')
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    main(process.argv.slice(2))
  } catch (error) {
    console.error(`minisign: failed: ${error.message}`)
    process.exit(1)
  }
}
