/** The picture formats that the forms accept. Few browsers can show HEIC, HEIF and TIFF. */
const picture = /\.(jpe?g|png|gif|webp|avif|bmp|heic|heif|tiff?)$/i

/** Whether a stored file is a picture, judged by its name. */
export function isPicture(path: string): boolean {
  return picture.test(path)
}

/** The original name of a file. Paths end in "<time>-<name>". */
export function fileTitle(path: string): string {
  const last = path.slice(path.lastIndexOf('/') + 1)
  return last.replace(/^\d{10,17}-/, '')
}

/** A URL that downloads a file under its own name instead of opening it. */
export function savingLink(url: string, path: string): string {
  const link = new URL(url)
  link.searchParams.set('download', fileTitle(path))
  return link.href
}
