/** Saves a file by a download in the browser. */
export function saveBlob(blob: Blob, name: string) {
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // After this time the browser has begun to read the file. If the URL were kept longer, the file would stay in memory.
  window.setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
