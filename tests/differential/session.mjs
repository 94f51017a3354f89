// A persistent connection to PostgreSQL. A text is one message, as with `psql -c`, and therefore one transaction. To start psql for each query would
// take longer than the query.

import { connect } from 'node:net'
import { join } from 'node:path'

const PROTOCOL = 196_608

function message(tag, body) {
  const head = Buffer.alloc(tag ? 5 : 4)
  if (tag) head.write(tag)
  head.writeUInt32BE(body.length + 4, tag ? 1 : 0)
  return Buffer.concat([head, body])
}

/** Returns the first column of a row as text. */
function firstColumn(body) {
  const length = body.readInt32BE(2)
  return length < 0 ? null : body.toString('utf8', 6, 6 + length)
}

const errorOf = (body) => Object.fromEntries(body.toString('utf8').split('\0').filter(Boolean).map((field) => [field[0], field.slice(1)]))

/** Opens a session as superuser, through the Unix socket in the folder of a server. */
export async function openSession({ folder, port }, database = 'harbour') {
  const socket = connect(join(folder, `.s.PGSQL.${port}`))
  let unread = Buffer.alloc(0)
  let waiting
  const settle = (error) => {
    const { resolve, reject, rows, refused } = waiting ?? {}
    waiting = undefined
    if (error ?? refused) reject?.(error ?? refused)
    else resolve?.(rows)
  }
  const handle = (tag, body) => {
    if (tag === 'D') waiting.rows.push(firstColumn(body))
    if (tag === 'E') waiting.refused = Object.assign(new Error(errorOf(body).M), { code: errorOf(body).C })
    if (tag === 'Z') settle()
  }
  socket.on('data', (chunk) => {
    unread = Buffer.concat([unread, chunk])
    while (unread.length >= 5 && unread.length > unread.readUInt32BE(1)) {
      const end = 1 + unread.readUInt32BE(1)
      const [tag, body] = [String.fromCharCode(unread[0]), unread.subarray(5, end)]
      unread = unread.subarray(end)
      handle(tag, body)
    }
  })
  socket.on('error', settle)
  socket.on('close', () => settle(new Error('PostgreSQL has closed the connection')))
  const exchange = (bytes) =>
    new Promise((resolve, reject) => {
      waiting = { resolve, reject, rows: [] }
      socket.write(bytes)
    })
  const version = Buffer.alloc(4)
  version.writeUInt32BE(PROTOCOL)
  const settings = { user: 'postgres', database, client_encoding: 'UTF8', client_min_messages: 'error' }
  await exchange(message('', Buffer.concat([version, Buffer.from(`${Object.entries(settings).flat().join('\0')}\0\0`)])))
  return {
    /** Runs a query and returns the first column of the rows. Throws PostgreSQL's errors, with the SQLSTATE as `code`. */
    query: (sql) => exchange(message('Q', Buffer.from(`${sql}\0`))),
    close: () => socket.destroy(),
  }
}
