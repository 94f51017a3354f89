/** An entry's name in small letters, every run of other characters a hyphen. */
export function slug(entryName: string): string {
  return entryName.toLowerCase().replace(/[^a-z0-9]+/g, '-')
}

/** The name under which a file of an entry is saved: the entry's, and a number when there are several. */
export function downloadName(entryName: string, path: string, index: number, count: number): string {
  const number = count > 1 ? `-${index + 1}` : ''
  const ending = /\.[a-z0-9]{1,8}$/i.exec(path)?.[0] ?? ''
  return `${slug(entryName)}${number}${ending.toLowerCase()}`
}
