/** An SMTP server that accepts every message, and gives the messages of an address in the order in which they arrived. */
import { createServer } from 'node:net'

export async function startSink(port) {
  const unread = []
  const server = createServer((socket) => receive(socket, (message) => unread.push(message)))
  await new Promise((done, failed) => server.once('error', failed).listen(port, '127.0.0.1', done))

  const take = (address) => {
    const at = unread.findIndex(({ to }) => to === address)
    return at < 0 ? undefined : unread.splice(at, 1)[0]
  }
  /** Waits for the next message to an address. `undefined` if none arrives within five seconds. */
  const next = async (address) => {
    const end = Date.now() + 5000
    for (;;) {
      const message = take(address)
      if (message || Date.now() > end) return message
      await new Promise((done) => setTimeout(done, 10))
    }
  }
  return { port, next, take, close: () => server.close() }
}

function receive(socket, deliver) {
  let input = ''
  let message
  let to = ''
  const send = (line) => socket.write(`${line}\r\n`)
  const endOfMessage = () => {
    deliver({ to, ...content(message.join('\n')) })
    message = undefined
    send('250 accepted')
  }
  const command = (line) => {
    const verb = line.slice(0, 4).toUpperCase()
    if (verb === 'QUIT') return socket.end('221 bye\r\n')
    if (verb === 'RCPT') to = /<(.*)>/.exec(line)?.[1]
    if (verb === 'DATA') message = []
    return send(verb === 'DATA' ? '354 send' : verb === 'EHLO' ? '250 8BITMIME' : '250 ok')
  }
  socket.on('error', () => {})
  send('220 sink')
  socket.on('data', (bytes) => {
    input += bytes
    for (let end = input.indexOf('\r\n'); end >= 0; end = input.indexOf('\r\n')) {
      const line = input.slice(0, end)
      input = input.slice(end + 2)
      if (message === undefined) command(line)
      else if (line === '.') endOfMessage()
      else message.push(line.startsWith('..') ? line.slice(1) : line)
    }
  })
}

/** Reads the link and the code of a message. */
function content(raw) {
  const base64 = /Content-Transfer-Encoding: base64\n[^]*?\n\n([A-Za-z0-9+/=\n]+)/i.exec(raw)?.[1]
  const text = base64 ? Buffer.from(base64, 'base64').toString() : quotedPrintable(raw)
  const link = /https?:\/\/[^\s"<>]+\/verify[^\s"<>]+/.exec(text)?.[0].replaceAll('&amp;', '&').replaceAll('&#43;', '+')
  return { link, code: /code (\d{6})\b/i.exec(text)?.[1] }
}

const quotedPrintable = (text) => text.replace(/=\n/g, '').replace(/(?:=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString())
