import { OMIT_HEADERS, formatPatch, structuredPatch } from 'diff'

/** Milliseconds after which the comparison is given up: the whole old text is then shown as removed, the new one as added. */
const mostMs = 500

const linesOf = (text: string) => (text === '' ? [] : text.split('\n'))

/** Differing lines with three lines of context, in the unified diff format; empty if the texts are equal. */
export function lineDiff(before: string, after: string): string[] {
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, timeout: mostMs })
  if (!patch) return [...linesOf(before).map((line) => `-${line}`), ...linesOf(after).map((line) => `+${line}`)]
  return linesOf(formatPatch(patch, OMIT_HEADERS).trimEnd())
}
