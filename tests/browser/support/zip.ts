/** Reads zip files whose entries are not compressed. */

/** Returns the files of an archive by name, as the archive's central directory lists them. */
export function unzipStored(archive: Buffer): Map<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  if (end < 0) throw new Error('no zip file')
  const files = new Map<string, Buffer>()
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [method, size] = [archive.readUInt16LE(at + 10), archive.readUInt32LE(at + 24)]
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset)) as [number, number, number]
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength)
    if (method !== 0) throw new Error(`${name} is compressed`)
    const local = archive.readUInt32LE(at + 42)
    const content = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
    files.set(name, archive.subarray(content, content + size))
    at += 46 + nameLength + extraLength + commentLength
  }
  return files
}
