/** A proxy between browser and server. A test can cut its connection, as if the user's train entered a tunnel. */
import { connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'

export interface CuttableConnection {
  /** URL of the server through the proxy. */
  url: string
  /** Cuts the connection as soon as this number of further bytes has been sent to the server. The connection stays cut. */
  cutAfter: (bytes: number) => Promise<void>
  /**
   * Cuts the connection when the server begins to answer a request whose head contains this text: the server has executed the request, but the
   * response does not reach the browser. The connection stays cut.
   */
  cutBeforeAnswer: (request: string) => Promise<void>
  /** Cuts the connection as soon as the browser sends a request whose head contains this text. The server does not get it. The connection stays cut. */
  cutAtRequest: (request: string) => Promise<void>
  fix: () => void
  close: () => Promise<void>
}

/** @param delayMs time by which each part of an answer is delayed */
export async function openCuttableConnection(server: string, delayMs = 0): Promise<CuttableConnection> {
  const { hostname, port } = new URL(server)
  const sockets = new Set<Socket>()
  let cut = false
  let left = Infinity
  let unanswered: string | undefined
  let unsent: string | undefined
  let wasCut: () => void = () => undefined

  const cutNow = () => {
    cut = true
    left = Infinity
    unanswered = undefined
    unsent = undefined
    sockets.forEach((socket) => socket.destroy())
    wasCut()
  }
  const listener = createServer((near) => {
    if (cut) {
      near.destroy()
      return
    }
    const far = connect(Number(port), hostname)
    let isAwaited = false
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    // The test writes the bytes itself, so that a request after which the connection is cut does not reach the server.
    near.on('data', (bytes: Buffer) => {
      if (unsent !== undefined && bytes.includes(unsent)) {
        cutNow()
        return
      }
      if (unanswered !== undefined && bytes.includes(unanswered)) isAwaited = true
      if (!far.write(bytes)) {
        near.pause()
        far.once('drain', () => near.resume())
      }
      left -= bytes.length
      if (left <= 0) cutNow()
    })
    near.on('end', () => far.end())
    far.on('data', () => {
      if (isAwaited && unanswered !== undefined) cutNow()
    })
    if (delayMs === 0) far.pipe(near)
    else far.pipe(delayed(delayMs)).pipe(near)
  })
  await new Promise<void>((listening) => listener.listen(0, '127.0.0.1', listening))
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('the line has no port')
  const untilCut = () => new Promise<void>((done) => (wasCut = done))
  return {
    url: `http://127.0.0.1:${address.port}`,
    cutAfter: (bytes) => {
      left = bytes
      return untilCut()
    },
    cutBeforeAnswer: (request) => {
      unanswered = request
      return untilCut()
    },
    cutAtRequest: (request) => {
      unsent = request
      return untilCut()
    },
    fix: () => (cut = false),
    close: () => {
      sockets.forEach((socket) => socket.destroy())
      return new Promise((closed) => listener.close(() => closed()))
    },
  }
}

function delayed(delayMs: number): Transform {
  return new Transform({
    transform(bytes, _encoding, done) {
      setTimeout(() => done(null, bytes), delayMs)
    },
  })
}
