/** Finds the position of an error of the module graph. The server's message contains the path of a file in a stored version. */

export interface Place {
  /** Path of a file in the function. */
  file: string
  line: number
  column: number
}

/** Returns the first position in a message that is in a file of the function. */
export function placeOf(message: string, files: readonly string[]): Place | undefined {
  for (const [, path = '', line, column] of message.matchAll(/(\/[^\s:"'()]+):(\d+):(\d+)/g)) {
    // Take the longest matching path: functions/a/index.ts ends with index.ts too.
    const [file] = files.filter((one) => path.endsWith(`/${one}`)).sort((a, b) => b.length - a.length)
    if (file !== undefined) return { file, line: Number(line), column: Number(column) }
  }
  return undefined
}

/** Replaces the stored version's path in a message by the file's path. */
export function readable(message: string, files: readonly string[]): string {
  return message.replace(/\/[^\s:"'()]+(?=:\d+:\d+)/g, (path) => {
    const [file] = files.filter((one) => path.endsWith(`/${one}`)).sort((a, b) => b.length - a.length)
    return file ?? path
  })
}

/** Offset in a text of a line and column, both counted from 1. */
export function offsetOf(text: string, { line, column }: Pick<Place, 'line' | 'column'>): number {
  const before = text.split('\n').slice(0, line - 1)
  const start = before.reduce((sum, one) => sum + one.length + 1, 0)
  return Math.min(start + Math.max(column - 1, 0), text.length)
}
