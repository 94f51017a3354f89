/**
 * Replays the calls of a client library in order against one server. A call is an HTTP request, a step of a WebSocket, or both. It contains the
 * place in the library's sources that makes the call (`source`), and what the library's parser needs in the answer. Later calls can use values of
 * earlier answers.
 *
 * A call: `{ call, source, request: "POST /path?query", headers, json | text | base64 | size | form, chunked, until, status, answer,
 * answerText, answerHeaders, keep, socket, open, send, receive, mail, differs }`. `headers` lists the names of sets of headers in client.json. Its
 * last element may be an object with additional headers. A step without `call` prepares the next call and is not counted.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { Authenticator } from '../support/authenticator.mjs'
import { messageTo } from '../support/inbox.mjs'
import { siteUrl } from './project.mjs'
import { send } from './request.mjs'
import { at, lacks } from './shape.mjs'
import { Socket } from './socket.mjs'
import { filled } from './template.mjs'

/** The order in which the subjects are replayed. All other subjects use the sessions of `auth`. */
const SUBJECTS = ['auth', 'tables', 'storage', 'functions', 'realtime']

/** Reads the data of a language: its client.json and its calls. */
export function load(language) {
  const folder = join(import.meta.dirname, language)
  const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'))
  const names = readdirSync(folder).filter((name) => name !== 'client.json' && name.endsWith('.json'))
  const unknown = names.filter((name) => !SUBJECTS.includes(name.slice(0, -'.json'.length)))
  if (unknown.length) throw new Error(`unknown subjects of ${language}: ${unknown}`)
  const calls = SUBJECTS.filter((subject) => names.includes(`${subject}.json`)).flatMap((subject) => read(`${subject}.json`).map((call) => ({ ...call, subject })))
  return { ...read('client.json'), language, calls }
}

/** Returns a function that replays calls. All calls share the values of earlier answers, the open sockets, and the shapes of the client's models. */
export function replayer(server, { headers: sets = {}, models = {} }) {
  const values = {
    anon: server.anonKey,
    service: server.serviceKey,
    url: server.url,
    now: new Date().toISOString(),
    authenticator: new Authenticator(siteUrl),
  }
  const sockets = new Map()
  const headersOf = (wanted = []) => Object.assign({}, ...[wanted].flat().map((one) => (typeof one === 'string' ? sets[one] : one)))

  /** Replays one call. Returns the differences between the answer and what the call expects. */
  async function play(call) {
    const wrong = []
    if (call.set) Object.assign(values, filled(call.set, values))
    if (call.open) sockets.set(call.socket, await Socket.open(server.url + filled(call.open, values), filled(headersOf(call.headers), values)))
    if (call.send) sockets.get(call.socket).send(filled(call.send, values))
    if (call.request) wrong.push(...(await request(call)))
    if (call.receive) wrong.push(...(await sockets.get(call.socket).receive(filled(call.receive, values), models)))
    if (call.mail) await readMail(filled(call.mail, values))
    return wrong
  }

  async function request(call) {
    const { request: line, headers, status = 200, answer, answerText, answerHeaders = {}, keep = {}, ...options } = call
    const [method, path] = filled(line, values).split(/ (.*)/s)
    const { json, form, text, base64, size, chunked, until } = options
    const body = filled({ json, form, text, base64 }, values)
    const response = await send(server.url, { method, path, headers: filled(headersOf(headers), values), ...body, size, chunked, until })
    if (![status].flat().includes(response.status)) return [`status ${response.status} instead of ${status}: ${response.text.slice(0, 300)}`]
    const wrong = Object.entries(answerHeaders).flatMap(([name, shape]) => lacks(response.headers[name], shape, models, `header ${name}`))
    if (answer !== undefined) wrong.push(...lacks(response.json, filled(answer, values), models))
    if (answerText !== undefined) wrong.push(...lacks(response.text, filled(answerText, values), models))
    for (const [name, source] of Object.entries(keep)) values[name] = kept(response, source)
    return wrong
  }

  /**
   * Returns a value of an answer. `source` is a path in its JSON, or `{ header, match }` or `{ path, match }`. With `match`, the value is the first
   * group of the regular expression.
   */
  function kept(response, source) {
    const { path, header, match } = typeof source === 'string' ? { path: source } : source
    const whole = header ? response.headers[header] : at(response.json, path)
    const value = match ? new RegExp(match).exec(whole)?.[1] : whole
    if (value === undefined) throw new Error(`the answer has no value for ${JSON.stringify(source)}: ${response.text.slice(0, 200)}`)
    return value
  }

  async function readMail({ to, subject = '.', keep }) {
    const message = await messageTo(server.url, to, new RegExp(subject))
    for (const [name, pattern] of Object.entries(keep)) {
      const found = new RegExp(pattern).exec(message.html)
      if (!found) throw new Error(`the message to ${to} has nothing like ${pattern}: ${message.html.slice(0, 300)}`)
      values[name] = found[1].replaceAll('&amp;', '&')
    }
  }

  return { play, close: () => sockets.forEach((socket) => socket.close()) }
}
