/** The pictures that the forms take. Which of them are shown depends on the browser: few show HEIC, HEIF and TIFF. */
const picture = /\.(jpe?g|png|gif|webp|avif|bmp|heic|heif|tiff?)$/i

/** Whether a stored file is a picture, judged by its name. */
export function isPicture(path: string): boolean {
  return picture.test(path)
}

/** The name that a person gave the file: paths end in "<time>-<name>". */
export function fileTitle(path: string): string {
  const last = path.slice(path.lastIndexOf('/') + 1)
  return last.replace(/^\d{10,17}-/, '')
}

/** A link to a file, made one that saves the file under its own name instead of opening it. */
export function savingLink(url: string, path: string): string {
  const link = new URL(url)
  link.searchParams.set('download', fileTitle(path))
  return link.href
}
