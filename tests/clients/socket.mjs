/**
 * The WebSockets of replayed calls. Each message has the form that the client's serialiser writes: a JSON object (protocol 1.0.0), a JSON array
 * (2.0.0), or a binary broadcast (2.0.0). A received binary broadcast becomes an object with the key `binary`.
 */
import { createRequire } from 'node:module'

import { lacks } from './shape.mjs'

// Before version 22, Node's WebSocket class does not support binary frames and cannot set headers.
const WebSocket = createRequire(import.meta.url)('ws')
const RECEIVE_TIMEOUT_MS = 30_000
const BROADCAST_PUSH = 3
const BROADCAST = 4
const ENCODINGS = ['binary', 'json']

/** Encodes a binary push: the kind, the lengths, the encoding, the fields and the payload. */
export function encodePush({ joinRef, ref, topic, event, meta = '', encoding, payload }) {
  const fields = [joinRef ?? '', ref ?? '', topic, event, meta].map((text) => Buffer.from(text))
  const body = encoding === 'json' ? Buffer.from(JSON.stringify(payload)) : Buffer.from(payload, 'base64')
  return Buffer.concat([Buffer.from([BROADCAST_PUSH, ...fields.map(({ length }) => length), ENCODINGS.indexOf(encoding)]), ...fields, body])
}

/** Decodes a binary broadcast of the server in the way that Dart, Kotlin and Swift do. */
function decodeBroadcast(bytes) {
  const [kind, ...lengths] = bytes.subarray(0, 4)
  if (kind !== BROADCAST) throw new Error(`a binary message of the kind ${kind}`)
  const encoding = ENCODINGS[bytes[4]]
  let offset = 5
  const [topic, event, meta] = lengths.map((length) => bytes.subarray(offset, (offset += length)).toString())
  const payload = encoding === 'json' ? JSON.parse(bytes.subarray(offset).toString()) : bytes.subarray(offset).toString('base64')
  return { binary: { topic, event, meta, encoding, payload } }
}

export class Socket {
  #received = []
  #waiting = () => undefined

  /** Opens a connection. Fails if the server refuses the connection. */
  static open(url, headers) {
    return new Promise((done, failed) => {
      const connection = new WebSocket(url.replace(/^http/, 'ws'), { headers })
      connection.once('error', failed)
      connection.once('open', () => done(new Socket(connection)))
    })
  }

  constructor(connection) {
    this.connection = connection
    connection.on('message', (data, isBinary) => {
      this.#received.push(isBinary ? decodeBroadcast(data) : JSON.parse(data.toString()))
      this.#waiting()
    })
    connection.on('error', () => undefined)
  }

  send(message) {
    this.connection.send(Object.hasOwn(message, 'push') ? encodePush(message.push) : JSON.stringify(message))
  }

  /** Waits for one message of each shape, in any order. Other messages stay in the list. */
  async receive(shapes, models) {
    const deadline = Date.now() + RECEIVE_TIMEOUT_MS
    for (const shape of shapes) {
      for (;;) {
        const index = this.#received.findIndex((message) => lacks(message, shape, models).length === 0)
        if (index >= 0) {
          this.#received.splice(index, 1)
          break
        }
        const remaining = deadline - Date.now()
        if (remaining <= 0) return [`no message like ${JSON.stringify(shape)} within ${RECEIVE_TIMEOUT_MS} ms; received ${JSON.stringify(this.#received).slice(0, 1500)}`]
        await new Promise((done) => {
          const timer = setTimeout(done, remaining)
          this.#waiting = () => {
            clearTimeout(timer)
            done()
          }
        })
      }
    }
    return []
  }

  close() {
    this.connection.terminate()
  }
}
