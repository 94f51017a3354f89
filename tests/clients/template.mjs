/**
 * Values in the data of replayed calls. `${name}` is a value that an earlier answer contained, and `${function(name)}` is computed from such a value.
 * If a text consists of one such expression only, the result keeps the value's type; inside a longer text, the value is written as text.
 */
import { createHash, randomUUID } from 'node:crypto'

import { totp } from '../support/totp.mjs'

const functions = {
  totp: (secret) => totp(secret),
  s256: (verifier) => createHash('sha256').update(verifier).digest('base64url'),
  base64: (text) => Buffer.from(String(text)).toString('base64'),
  encoded: (text) => encodeURIComponent(text),
  uuid: () => randomUUID(),
  upper: (text) => text.toUpperCase(),
  createPasskey: (options, values) => values.authenticator.create(options),
  usePasskey: (options, values) => values.authenticator.get(options),
}

const EXPRESSION = /\$\{(?:(\w+)\((\w*)\)|(\w+))\}/

/** Returns the value of an expression. */
function valueOf([whole, name, argument, plain], values) {
  const key = plain ?? argument
  if (key && !(key in values)) throw new Error(`no earlier answer gave the value ${key}`)
  if (plain !== undefined) return values[plain]
  if (!(name in functions)) throw new Error(`unknown function in ${whole}`)
  return functions[name](values[argument], values)
}

/** Returns the data with each expression replaced by its value. */
export function filled(data, values) {
  if (Array.isArray(data)) return data.map((item) => filled(item, values))
  if (data !== null && typeof data === 'object') return Object.fromEntries(Object.entries(data).map(([key, value]) => [filled(key, values), filled(value, values)]))
  if (typeof data !== 'string') return data
  const only = new RegExp(`^${EXPRESSION.source}$`).exec(data)
  if (only) return valueOf(only, values)
  return data.replace(new RegExp(EXPRESSION.source, 'g'), (...parts) => String(valueOf(parts, values)))
}
