/** Pictures of any size with a valid structure but without content. Buckets with `strip_metadata` accept them. */

const chunk = (kind, data) => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(data.length)
  head.write(kind, 4, 'latin1')
  // The checksum is wrong. This is not important, because the picture is never decoded.
  return Buffer.concat([head, data, Buffer.alloc(4)])
}
const start = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]))])
const end = chunk('IEND', Buffer.alloc(0))
const around = start.length + end.length + 12

/** Returns a PNG whose pixel data are the given bytes. If the bytes are long enough, the PNG has the same length. */
export function png(bytes) {
  const pixels = bytes.length >= around ? bytes.subarray(start.length + 8, bytes.length - end.length - 4) : bytes
  return Buffer.concat([start, chunk('IDAT', pixels), end])
}

/**
 * Returns a JPEG whose image data are the given bytes, without 0xff, which would begin a marker. If the bytes are long enough, the JPEG has the same
 * length.
 */
export function jpeg(bytes) {
  const head = Buffer.from([0xff, 0xd8, 0xff, 0xda, 0, 2])
  return Buffer.concat([head, bytes.subarray(head.length).map((byte) => Math.min(byte, 0xfe))])
}
