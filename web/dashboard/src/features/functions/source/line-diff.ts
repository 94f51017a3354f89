import { OMIT_HEADERS, formatPatch, structuredPatch } from 'diff'

/** Milliseconds after which a change is shown as removed and added whole. */
const mostMs = 500

const linesOf = (text: string) => (text === '' ? [] : text.split('\n'))

/** The lines that differ, with three lines around each change, in the unified format; none where the texts are the same. */
export function lineDiff(before: string, after: string): string[] {
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, timeout: mostMs })
  if (!patch) return [...linesOf(before).map((line) => `-${line}`), ...linesOf(after).map((line) => `+${line}`)]
  return linesOf(formatPatch(patch, OMIT_HEADERS).trimEnd())
}
