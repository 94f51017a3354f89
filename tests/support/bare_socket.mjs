/** A realtime socket without a client library. It shows the frames unchanged. */

/**
 * Opens a socket. Returns undefined if the server refuses it. `heard` lists the text frames of the socket. `ask` sends a frame and waits for the
 * reply. The reply is undefined if the socket is closed before the reply arrives.
 */
export async function openSocket({ port, anonKey }) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/realtime/v1/websocket?apikey=${anonKey}&vsn=2.0.0`)
  socket.binaryType = 'arraybuffer'
  const heard = []
  const asked = new Map()
  socket.addEventListener('message', ({ data }) => {
    if (typeof data !== 'string') return
    const frame = JSON.parse(data)
    heard.push(frame)
    asked.get(frame[1])?.(frame[4])
    asked.delete(frame[1])
  })
  const closed = new Promise((done) => socket.addEventListener('close', done, { once: true }))
  const isOpen = await new Promise((done) => {
    socket.addEventListener('open', () => done(true), { once: true })
    socket.addEventListener('error', () => done(false), { once: true })
  })
  if (!isOpen) return undefined
  let reference = 0
  const send = (topic, event, payload) => {
    const ref = String((reference += 1))
    socket.send(JSON.stringify([ref, ref, topic, event, payload]))
    return ref
  }
  const ask = (...frame) => {
    const answer = new Promise((done) => asked.set(send(...frame), done))
    return Promise.race([answer, closed.then(() => undefined)])
  }
  return { socket, heard, closed, send, ask }
}
