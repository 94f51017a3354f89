import { encodeText } from './content-template'

/** A link that opens a mail to `address`, with a subject if one is given. */
export function mailto(address: string, subject?: string): string {
  return subject === undefined ? `mailto:${address}` : `mailto:${address}?subject=${encodeText(subject)}`
}
