/** The parts of docs/clients.md that suites write, and the snippets in that page. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const file = join(import.meta.dirname, '../../docs/clients.md')

/** Compares a table with the table in the document. With `CLOCH_WRITE_DOCS=1`, writes the table into the document instead. */
export function checkTable(name, header, rows) {
  const lines = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`)
  const place = new RegExp(`(<!-- table: ${name} -->\n)(?:(?!<!--)[\\s\\S])*(<!-- end -->)`)
  const text = readFileSync(file, 'utf8')
  assert.match(text, place, `docs/clients.md has no place for the table ${name}`)
  const made = text.replace(place, (_, start, end) => `${start}\n${lines.join('\n')}\n\n${end}`)
  if (process.env.CLOCH_WRITE_DOCS) writeFileSync(file, made)
  else assert.equal(text, made, 'docs/clients.md is stale: run this suite with CLOCH_WRITE_DOCS=1')
}

/** Returns the snippets of a language, as the document shows them. */
export const snippets = (fence) => [...readFileSync(file, 'utf8').matchAll(new RegExp(`\`\`\`${fence}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code]) => code)
