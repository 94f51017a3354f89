/** Converts an entry's name for use in a file name: lower case, with a hyphen in place of other characters. */
export function slug(entryName: string): string {
  return entryName.toLowerCase().replace(/[^a-z0-9]+/g, '-')
}

/** File name for a download: the entry's name, followed by a number if there are several files. */
export function downloadName(entryName: string, path: string, index: number, count: number): string {
  const number = count > 1 ? `-${index + 1}` : ''
  const ending = /\.[a-z0-9]{1,8}$/i.exec(path)?.[0] ?? ''
  return `${slug(entryName)}${number}${ending.toLowerCase()}`
}
