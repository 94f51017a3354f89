/** A name as part of a path: lower case, runs of other characters than letters and digits as one hyphen, none at the ends. */
export function slug(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
}

let last = 0

/** Milliseconds since 1970, never the same twice: two files of one name chosen together keep different paths. */
function timestamp(): number {
  last = Math.max(Date.now(), last + 1)
  return last
}

/** A file's name with only characters that object names may hold. */
function safeName(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '')
  return plain.replace(/[^\w!\-.*'() &$@=;:+,?]+/g, '-').slice(-180)
}

/** {folder}/{timestamp}-{filename}: a new path for every upload, so that nothing is ever overwritten. */
export function uploadPath(folder: string, fileName: string): string {
  return `${folder}/${timestamp()}-${safeName(fileName)}`
}

export type FormType = 'artist' | 'young-citizen' | 'musician'

/** Where the files of an award entry go. The name may not have been typed yet when the first file is chosen. */
export function awardFolder(form: FormType, entrant: string): string {
  return `${form}/${slug(entrant) || 'entrant'}`
}
