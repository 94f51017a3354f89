import { isPicture } from '@/lib/entry-file'

/** Where the files of all entries are kept. */
export const bucket = 'youth-awards-submissions'

const bucketTitles: Record<string, string> = { [bucket]: 'Award files', 'music-uploads': 'Music' }

/** Where exports of all entries are kept, in the bucket of award files. */
const exportsFolder = 'exports/'

/** What people call the place of a stored file. */
export function placeTitle(bucketId: string, name: string): string {
  if (bucketId === bucket && name.startsWith(exportsFolder)) return 'Export of all entries'
  return bucketTitles[bucketId] ?? bucketId
}

/** Seconds for which the link to a file works. */
export const linkSeconds = 3600

export type FileKind = 'image' | 'audio' | 'pdf' | 'other'

const kinds: [FileKind, RegExp][] = [
  ['audio', /\.(mp3|m4a|aac|wav|ogg|oga|opus|flac|weba)$/i],
  ['pdf', /\.pdf$/i],
]

/** What a browser can do with a file, judged by its name. */
export function fileKind(path: string): FileKind {
  if (isPicture(path)) return 'image'
  return kinds.find(([, pattern]) => pattern.test(path))?.[0] ?? 'other'
}
