/** Syntax highlighting of TypeScript, JavaScript and JSON: a line-based tokenizer without a grammar. */
import { StreamLanguage } from '@codemirror/language'
import { json, typescript } from '@codemirror/legacy-modes/mode/javascript'

const script = StreamLanguage.define(typescript)
const data = StreamLanguage.define(json)

/** Returns the language of a file; `undefined` for a file without highlighting. */
export function scriptLanguage(path: string): StreamLanguage<unknown> | undefined {
  if (/\.[cm]?[jt]sx?$/.test(path)) return script
  return /\.jsonc?$/.test(path) ? data : undefined
}
