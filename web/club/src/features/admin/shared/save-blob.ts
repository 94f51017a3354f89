/** Hands a file to the browser, which keeps it among its downloads. */
export function saveBlob(blob: Blob, name: string) {
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has begun to read by then; keeping the address would keep the file in memory.
  window.setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
