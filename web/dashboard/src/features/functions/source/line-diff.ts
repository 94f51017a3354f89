import { OMIT_HEADERS, formatPatch, structuredPatch } from 'diff'

/**
 * If the comparison takes longer than this number of milliseconds, it is stopped. Then the whole old text is shown as removed, and the new text as
 * added.
 */
const mostMs = 500

const linesOf = (text: string) => (text === '' ? [] : text.split('\n'))

/** The changed lines with three lines of context, in the unified diff format. Empty if the texts are the same. */
export function lineDiff(before: string, after: string): string[] {
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, timeout: mostMs })
  if (!patch) return [...linesOf(before).map((line) => `-${line}`), ...linesOf(after).map((line) => `+${line}`)]
  return linesOf(formatPatch(patch, OMIT_HEADERS).trimEnd())
}
