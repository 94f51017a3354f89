/**
 * Finds the position of an error in the module graph. The error message of the server contains the path of a file in a stored version of the
 * function.
 */

export interface Place {
  /** Path of the file within the function. */
  file: string
  line: number
  column: number
}

/** Returns the first position in a message that is in a file of the function. */
export function placeOf(message: string, files: readonly string[]): Place | undefined {
  for (const [, path = '', line, column] of message.matchAll(/(\/[^\s:"'()]+):(\d+):(\d+)/g)) {
    // The longest matching path is used: a path that ends with functions/a/index.ts also ends with index.ts.
    const [file] = files.filter((one) => path.endsWith(`/${one}`)).sort((a, b) => b.length - a.length)
    if (file !== undefined) return { file, line: Number(line), column: Number(column) }
  }
  return undefined
}

/** In a message, replaces the path of the stored file by the file's path within the function. */
export function readable(message: string, files: readonly string[]): string {
  return message.replace(/\/[^\s:"'()]+(?=:\d+:\d+)/g, (path) => {
    const [file] = files.filter((one) => path.endsWith(`/${one}`)).sort((a, b) => b.length - a.length)
    return file ?? path
  })
}

/** Offset in a text for a line and column. Both are counted from 1. */
export function offsetOf(text: string, { line, column }: Pick<Place, 'line' | 'column'>): number {
  const before = text.split('\n').slice(0, line - 1)
  const start = before.reduce((sum, one) => sum + one.length + 1, 0)
  return Math.min(start + Math.max(column - 1, 0), text.length)
}
