/** Normalises a text for searches: lower case, no accents, plain apostrophes. */
export function comparable(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[’‘]/g, "'")
    .toLowerCase()
}
