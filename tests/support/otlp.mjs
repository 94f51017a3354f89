/** An OpenTelemetry collector for OTLP over HTTP. It stores the bodies of the requests and decodes their protobuf. */
import { createServer } from 'node:http'
import { once } from 'node:events'

import { sleep } from './program.mjs'

/** Returns the fields of a protobuf message: for each field number, its values in order. */
function fields(bytes) {
  const found = {}
  let at = 0
  const varint = () => {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const take = (length) => bytes.subarray(at, (at += length))
  while (at < bytes.length) {
    const tag = Number(varint())
    const read = { 0: varint, 1: () => take(8).readBigUInt64LE(), 2: () => take(Number(varint())), 5: () => take(4).readUInt32LE() }[tag & 7]
    if (!read) throw new Error(`wire type ${tag & 7}`)
    ;(found[tag >> 3] ??= []).push(read())
  }
  if (at !== bytes.length) throw new Error('a field is cut short')
  return found
}

const each = (message, number) => (message[number] ?? []).map(fields)
const text = (message, number) => message[number]?.[0]?.toString()

/** Returns a list of `KeyValue` messages as an object. */
const attributes = (message, number) =>
  Object.fromEntries(
    each(message, number).map((pair) => {
      const [value] = each(pair, 2)
      return [text(pair, 1), text(value, 1) ?? Number(value[3][0])]
    }),
  )

/** Returns the spans of an `ExportTraceServiceRequest`. */
export const spansOf = (body) =>
  each(fields(body), 1).flatMap((resourceSpans) =>
    each(resourceSpans, 2).flatMap((scopeSpans) =>
      each(scopeSpans, 2).map((span) => ({
        resource: attributes(each(resourceSpans, 1)[0], 1),
        trace: span[1][0].toString('hex'),
        id: span[2][0].toString('hex'),
        parent: span[4]?.[0].toString('hex'),
        name: text(span, 5),
        kind: Number(span[6][0]),
        start: span[7][0],
        end: span[8][0],
        attributes: attributes(span, 9),
        failed: each(span, 15)[0]?.[3]?.[0] === 2n,
      })),
    ),
  )

/** Starts a collector. The function `answer` returns the status of each response. */
export async function startCollector(port = 0) {
  const collector = { requests: [], answer: () => 200 }
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const taken = { url: request.url, headers: request.headers, body: Buffer.concat(chunks) }
      const status = collector.answer(taken)
      if (status < 300) collector.requests.push(taken)
      if (status > 0) response.writeHead(status).end()
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  collector.port = server.address().port
  collector.url = `http://127.0.0.1:${collector.port}`
  collector.spans = () => collector.requests.flatMap(({ body }) => spansOf(body))
  /** Waits until the collector has received at least `count` matching spans. */
  collector.until = async (fits, count = 1) => {
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const found = collector.spans().filter(fits)
      if (found.length >= count) return found
      await sleep(50)
    }
    throw new Error(`not exported: ${JSON.stringify(collector.spans().map(({ name, trace }) => [name, trace]))}`)
  }
  collector.stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return collector
}
