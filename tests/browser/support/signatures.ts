import { jpeg, png } from '../../support/pictures.mjs'

/** The first bytes of files of a type. For buckets that accept only some types, the storage API checks these bytes. */
const signatures: Record<string, Buffer> = {
  'application/pdf': Buffer.from('%PDF-1.4\n'),
  'audio/mpeg': Buffer.from('ID3\x03\0\0'),
}
/** Complete pictures. Buckets that remove metadata accept no incomplete pictures. */
const pictures: Record<string, (bytes: Buffer) => Buffer> = { 'image/jpeg': jpeg, 'image/png': png }

/** Returns the bytes with the signature of the type at the beginning. */
export function signed(mimeType: string, bytes: Buffer): Buffer {
  const picture = pictures[mimeType]
  if (picture) return picture(bytes)
  const signature = signatures[mimeType] ?? Buffer.alloc(0)
  return Buffer.concat([signature, bytes.subarray(signature.length)])
}
