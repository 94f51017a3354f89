/** A proxy between browser and server. A test can cut its connection, as if the user's train entered a tunnel. */
import { connect, createServer, type Socket } from 'node:net'

export interface CuttableConnection {
  /** URL of the server through the proxy. */
  url: string
  /** Cuts the connection as soon as this number of further bytes has been sent to the server. The connection stays cut. */
  cutAfter: (bytes: number) => Promise<void>
  fix: () => void
  close: () => Promise<void>
}

export async function openCuttableConnection(server: string): Promise<CuttableConnection> {
  const { hostname, port } = new URL(server)
  const sockets = new Set<Socket>()
  let cut = false
  let left = Infinity
  let wasCut: () => void = () => undefined

  const cutNow = () => {
    cut = true
    left = Infinity
    sockets.forEach((socket) => socket.destroy())
    wasCut()
  }
  const listener = createServer((near) => {
    if (cut) {
      near.destroy()
      return
    }
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', (bytes: Buffer) => {
      left -= bytes.length
      if (left <= 0) cutNow()
    })
    near.pipe(far)
    far.pipe(near)
  })
  await new Promise<void>((listening) => listener.listen(0, '127.0.0.1', listening))
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('the line has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    cutAfter: (bytes) => {
      left = bytes
      return new Promise((done) => (wasCut = done))
    },
    fix: () => (cut = false),
    close: () => {
      sockets.forEach((socket) => socket.destroy())
      return new Promise((closed) => listener.close(() => closed()))
    },
  }
}
