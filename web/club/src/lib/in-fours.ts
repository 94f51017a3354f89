/** A code in groups of four characters, which are easy to read and type. */
export function inFours(code: string, between: string): string {
  return code.replace(/(.{4})(?=.)/g, `$1${between}`)
}
