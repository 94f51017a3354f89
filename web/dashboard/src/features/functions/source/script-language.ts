/** Syntax highlighting for TypeScript, JavaScript and JSON. It uses a tokenizer that works line by line, without a grammar. */
import { StreamLanguage } from '@codemirror/language'
import { json, typescript } from '@codemirror/legacy-modes/mode/javascript'

const script = StreamLanguage.define(typescript)
const data = StreamLanguage.define(json)

/** Returns the language of a file; `undefined` for a file without highlighting. */
export function scriptLanguage(path: string): StreamLanguage<unknown> | undefined {
  if (/\.[cm]?[jt]sx?$/.test(path)) return script
  return /\.jsonc?$/.test(path) ? data : undefined
}
