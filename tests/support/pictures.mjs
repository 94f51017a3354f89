/** Pictures of any size with a valid structure but without content, as accepted by buckets with `strip_metadata`. */

const chunk = (kind, data) => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(data.length)
  head.write(kind, 4, 'latin1')
  // The checksum is wrong, because nobody decodes the picture.
  return Buffer.concat([head, data, Buffer.alloc(4)])
}
const start = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]))])
const end = chunk('IEND', Buffer.alloc(0))
const around = start.length + end.length + 12

/** A PNG whose pixel data are the given bytes. It has the same length, if that is long enough. */
export function png(bytes) {
  const pixels = bytes.length >= around ? bytes.subarray(start.length + 8, bytes.length - end.length - 4) : bytes
  return Buffer.concat([start, chunk('IDAT', pixels), end])
}

/** A JPEG whose image data are the given bytes, except 0xff, which would begin a marker. It has the same length, if that is long enough. */
export function jpeg(bytes) {
  const head = Buffer.from([0xff, 0xd8, 0xff, 0xda, 0, 2])
  return Buffer.concat([head, bytes.subarray(head.length).map((byte) => Math.min(byte, 0xfe))])
}
