import { createHmac } from 'node:crypto'

const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Returns a JSON Web Token that is signed with HS256 and a secret, whatever its header contains. */
export function signToken(secret, claims, header = { alg: 'HS256', typ: 'JWT' }) {
  const text = `${part(header)}.${part(claims)}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}
