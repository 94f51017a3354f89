/** Converts a name to a part of a path: lower case, with a hyphen in place of other characters, and without a hyphen at the beginning or end. */
export function slug(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
}

let last = 0

/** Milliseconds since 1970. Each call returns another value, so that two files with the same name get different paths. */
function timestamp(): number {
  last = Math.max(Date.now(), last + 1)
  return last
}

/** A file's name with only the characters that are allowed in object names. */
function safeName(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '')
  return plain.replace(/[^\w!\-.*'() &$@=;:+,?]+/g, '-').slice(-180)
}

/** Returns {folder}/{timestamp}-{filename}. Each upload gets a new path, so that no file is overwritten. */
export function uploadPath(folder: string, fileName: string): string {
  return `${folder}/${timestamp()}-${safeName(fileName)}`
}

export type FormType = 'artist' | 'young-citizen' | 'musician'

/** The folder for the files of an award entry. When the user chooses the first file, the name of the entrant may still be empty. */
export function awardFolder(form: FormType, entrant: string): string {
  return `${form}/${slug(entrant) || 'entrant'}`
}
