import { createHmac } from 'node:crypto'

const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Returns a JSON Web Token signed with HS256 and a secret, regardless of its header. */
export function signToken(secret, claims, header = { alg: 'HS256', typ: 'JWT' }) {
  const text = `${part(header)}.${part(claims)}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}
