import type { Notice } from '@cloch/ui/lib/notify'

/** Maximum size of a file: 10 MB. */
export const maxBytes = 10 * 1024 * 1024

/** Maximum number of files of an entry, and of a form for additional files. The database has the same limit. */
export const maxFiles = 50

/** A file that is in storage. */
export interface StoredFile {
  name: string
  size: number
  /** Path in the bucket. */
  path: string
}

/** The types of files that a form accepts. */
export interface Accepted {
  /** File name extensions, without the dot. */
  endings: readonly string[]
  words: string
}

/**
 * Media types by file name extension. The bucket accepts these types. Phones and old computers often cannot determine the type of a file, so the
 * extension decides. SVG is not accepted, because it can contain scripts.
 */
const mediaTypes: Record<string, string> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  heic: 'image/heic',
  heif: 'image/heif',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  flac: 'audio/flac',
  aif: 'audio/aiff',
  aiff: 'audio/aiff',
  wma: 'audio/x-ms-wma',
  pdf: 'application/pdf',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  txt: 'text/plain',
}

const endingsOf = (kind: string) => Object.keys(mediaTypes).filter((ending) => mediaTypes[ending]?.startsWith(kind))
const papers = ['pdf', 'doc', 'docx']

export const pictures: Accepted = { endings: [...endingsOf('image/'), ...papers], words: 'Pictures, PDF or Word files' }
export const photographs: Accepted = { endings: ['jpg', 'jpeg', 'png', 'webp'], words: 'JPEG, PNG or WebP pictures' }
export const picturesAndText: Accepted = {
  endings: [...pictures.endings, 'txt'],
  words: 'Pictures, PDF, Word or text files',
}
export const audio: Accepted = { endings: endingsOf('audio/'), words: 'Audio files' }
export const audioAndPapers: Accepted = { endings: [...audio.endings, ...papers], words: 'Audio, PDF or Word files' }

/** Returns the `accept` attribute of a file picker. With `image/*` and `audio/*`, phones also offer the camera and the recorder. */
export function acceptAttribute({ endings }: Accepted): string {
  const kinds = new Set(endings.map((ending) => kindOf(mediaTypes[ending] ?? '')))
  const wild = ['image', 'audio'].filter((kind) => kinds.has(kind)).map((kind) => `${kind}/*`)
  return [...wild, ...endings.map((ending) => `.${ending}`)].join(',')
}

/** The media type of a file. If the device does not know it, it is derived from the file's name. */
export function mediaType(file: File): string {
  return file.type === '' ? (mediaTypes[endingOf(file.name)] ?? '') : file.type
}

function kindOf(type: string): string {
  return type.split('/')[0] ?? ''
}

function endingOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase()
}

/** The reason why a file cannot be sent. Undefined if it can be sent. */
export function refusal(file: File, accepted: Accepted): Notice | undefined {
  if (file.size > maxBytes) {
    return { title: 'File too large', description: `${file.name} exceeds the 10 MB limit.` }
  }
  if (!isAccepted(file, accepted)) {
    return { title: 'Invalid file type', description: `${file.name} cannot be sent here. Please choose: ${accepted.words}.` }
  }
  return undefined
}

/** The message for files beyond the maximum number. @param sentBefore the number of files that the entry already has */
export function tooMany(sentBefore: number): Notice {
  const before = sentBefore === 0 ? '' : `, and ${sentBefore} of them were sent before`
  return { title: 'Too many files', description: `Not added: there can be at most ${maxFiles} files${before}.` }
}

/** The message for a file whose content does not match the type that its name indicates. */
export function mismatch(file: File): Notice {
  const description = `The content of ${file.name} does not match its type. Please remove it, and choose the original file.`
  return { title: 'Invalid file type', description }
}

function isAccepted(file: File, { endings }: Accepted): boolean {
  const type = mediaType(file)
  // Recorders use many different media types for audio. The bucket accepts all of them.
  if (type.startsWith('audio/')) return endings.includes('mp3')
  return endings.some((ending) => mediaTypes[ending] === type)
}

const units = ['Bytes', 'KB', 'MB', 'GB']

/** A size in Bytes, KB, MB or GB, with two decimals. */
export function formatSize(bytes: number): string {
  if (bytes === 0) return '0 Bytes'
  const power = Math.min(Math.floor(Math.log(bytes) / Math.log(1024)), units.length - 1)
  return `${(bytes / 1024 ** power).toFixed(2)} ${units[power] ?? ''}`
}
