/** A name as part of a path: in lower case, with a hyphen for each run of other characters, and none at the ends. */
export function slug(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
}

let last = 0

/** Milliseconds since 1970, never the same value twice, so that two files with the same name get different paths. */
function timestamp(): number {
  last = Math.max(Date.now(), last + 1)
  return last
}

/** A file's name with only the characters that are allowed in object names. */
function safeName(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '')
  return plain.replace(/[^\w!\-.*'() &$@=;:+,?]+/g, '-').slice(-180)
}

/** {folder}/{timestamp}-{filename}: a new path for every upload, so that no file is overwritten. */
export function uploadPath(folder: string, fileName: string): string {
  return `${folder}/${timestamp()}-${safeName(fileName)}`
}

export type FormType = 'artist' | 'young-citizen' | 'musician'

/** The folder for the files of an award entry. When the first file is chosen, the name may not have been typed yet. */
export function awardFolder(form: FormType, entrant: string): string {
  return `${form}/${slug(entrant) || 'entrant'}`
}
