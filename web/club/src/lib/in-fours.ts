/** A code in groups of four characters, as people read it out and type it. */
export function inFours(code: string, between: string): string {
  return code.replace(/(.{4})(?=.)/g, `$1${between}`)
}
