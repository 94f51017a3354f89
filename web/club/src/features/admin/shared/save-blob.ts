/** Saves a file as a download of the browser. */
export function saveBlob(blob: Blob, name: string) {
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // By then the browser has begun to read the file; keeping the URL longer would keep the file in memory.
  window.setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
