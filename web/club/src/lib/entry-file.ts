/** The picture formats that the forms accept. Many browsers cannot show HEIC, HEIF and TIFF. */
const picture = /\.(jpe?g|png|gif|webp|avif|bmp|heic|heif|tiff?)$/i

/** Whether a stored file is a picture, according to its name. */
export function isPicture(path: string): boolean {
  return picture.test(path)
}

const sound = /\.(mp3|m4a|wav|ogg|opus|flac|aac|aiff?|wma)$/i

/** Whether a stored file is a recording, according to its name. */
export function isSound(path: string): boolean {
  return sound.test(path)
}

/** The original name of a file. The path of a stored file ends in "<time>-<name>". */
export function fileTitle(path: string): string {
  const last = path.slice(path.lastIndexOf('/') + 1)
  return last.replace(/^\d{10,17}-/, '')
}

/** A URL that makes the browser download a file under its original name, instead of opening the file. */
export function savingLink(url: string, path: string): string {
  const link = new URL(url)
  link.searchParams.set('download', fileTitle(path))
  return link.href
}
