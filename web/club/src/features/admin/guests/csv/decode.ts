/**
 * Decodes a file of a spreadsheet program. With a byte order mark: UTF-8 or UTF-16. Without one: UTF-8 if the file is valid UTF-8, otherwise
 * Windows-1252, the default encoding of Excel.
 */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
