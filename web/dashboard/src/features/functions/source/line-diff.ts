/** The difference of two texts in lines, as `diff -u` writes it: ` `, `+`, `-`, and `@@` before each part. */

/** Unchanged lines around a change. */
const context = 3
/** Above this product of lines a changed part is shown as removed and added whole: comparing each line with each would take too long. */
const mostCells = 4_000_000

const linesOf = (text: string) => (text === '' ? [] : text.split('\n'))

/** The lines that differ, with their surroundings; none where the texts are the same. */
export function lineDiff(before: string, after: string): string[] {
  if (before === after) return []
  const [old, now] = [linesOf(before), linesOf(after)]
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const all = [
    ...old.slice(0, start).map((line) => ` ${line}`),
    ...compared(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...old.slice(old.length - end).map((line) => ` ${line}`),
  ]
  return parts(all)
}

/** Keeps a longest common subsequence of lines. */
function compared(old: readonly string[], now: readonly string[]): string[] {
  if (old.length * now.length > mostCells) return [...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)]
  const width = now.length + 1
  const lengths = new Uint32Array((old.length + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      lengths[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const lines: string[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push(` ${old[i]}`)
      ;[i, j] = [i + 1, j + 1]
    } else if (i < old.length && (j >= now.length || at(i + 1, j) >= at(i, j + 1))) lines.push(`-${old[i++]}`)
    else lines.push(`+${now[j++]}`)
  }
  return lines
}

/** Leaves out what is far from every change. */
function parts(all: readonly string[]): string[] {
  const near = all.map((_, at) => all.slice(Math.max(0, at - context), at + context + 1).some((line) => !line.startsWith(' ')))
  const shown: string[] = []
  let [old, now] = [1, 1]
  all.forEach((line, at) => {
    if (near[at] && !near[at - 1]) shown.push(`@@ -${old} +${now} @@`)
    if (near[at]) shown.push(line)
    if (!line.startsWith('+')) old++
    if (!line.startsWith('-')) now++
  })
  return shown
}
