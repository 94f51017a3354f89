/** Splits a code into groups of four characters, so that it is easy to read and type. */
export function inFours(code: string, between: string): string {
  return code.replace(/(.{4})(?=.)/g, `$1${between}`)
}
