import type { Separator } from './csv'

/**
 * Rewrites a CSV file for `copy`, chunk by chunk: the separator becomes a comma, and columns that are not imported are removed. Quotation marks are
 * kept, because `copy` reads an empty field as null only if it has none. If a line has too many fields, they are kept, so that PostgreSQL refuses the
 * line.
 * @param isLeftOut for each column of the file, whether it is removed
 */
export function rewriter(separator: Separator, isLeftOut: readonly boolean[]) {
  let [field, column, written, isQuoted, isAfterReturn] = ['', 0, 0, false, false]
  let out = ''
  const endField = () => {
    if (isLeftOut[column] !== true) {
      out += (written === 0 ? '' : ',') + (separator === ',' ? field : withCommas(field))
      written += 1
    }
    field = ''
    column += 1
  }
  const endLine = () => {
    endField()
    out += '\n'
    ;[column, written] = [0, 0]
  }
  const add = (text: string) => {
    let start = 0
    for (let at = 0; at < text.length; at += 1) {
      const character = text.charAt(at)
      const follows = isAfterReturn
      isAfterReturn = false
      if (character === '"') isQuoted = !isQuoted
      else if (!isQuoted && (character === separator || character === '\n' || character === '\r')) {
        field += text.slice(start, at)
        start = at + 1
        if (character === separator) endField()
        else if (!(character === '\n' && follows)) endLine()
        isAfterReturn = character === '\r'
      }
    }
    field += text.slice(start)
    return taken()
  }
  const taken = () => {
    const text = out
    out = ''
    return text
  }
  const end = () => {
    if (field !== '' || column > 0) endLine()
    return taken()
  }
  return { add, end }
}

/** Adds quotation marks to a field that contains commas, because these were not separators in the original file. */
function withCommas(field: string): string {
  if (!field.includes(',')) return field
  // Within a field, a quotation mark begins or ends a quoted part, unless it is doubled.
  const value = field.replaceAll(/"((?:[^"]|"")*)"/g, (_, part: string) => part.replaceAll('""', '"'))
  return `"${value.replaceAll('"', '""')}"`
}

/** Rewrites the whole file. The browser may store the result on disk. */
export async function rewritten(file: Blob, separator: Separator, isLeftOut: readonly boolean[]): Promise<Blob> {
  const { add, end } = rewriter(separator, isLeftOut)
  const lines = new TransformStream<string, string>({
    transform: (text, controller) => controller.enqueue(add(text)),
    flush: (controller) => controller.enqueue(end()),
  })
  const decoder = new TextDecoderStream('utf-8', { fatal: true }) as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>
  const stream = file.stream().pipeThrough(decoder).pipeThrough(lines).pipeThrough(new TextEncoderStream())
  return new Response(stream).blob()
}
