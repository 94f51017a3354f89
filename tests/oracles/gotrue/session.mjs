/** What a scenario does with one auth server. Every request, mail and look at the tables is a step, whose normalised result is kept. */
import { createHash } from 'node:crypto'

import { signToken } from '../../support/tokens.mjs'
import { Normal } from './normal.mjs'

export const PASSWORD = 'correct horse 1'
export const UNKNOWN_ID = 'd0f0a1aa-7ffb-4f3d-9a5e-8f1a34a4f9e2'
export const VERIFIER = 'v'.repeat(50)
export const CHALLENGE = { code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'), code_challenge_method: 's256' }
export const FAR_FUTURE = 2_398_377_600

/** Headers that clients read. */
const HEADERS = ['location', 'x-total-count', 'link', 'content-type', 'x-sb-error-code', 'retry-after', 'www-authenticate', 'allow']
const TABLES = ['users', 'identities', 'sessions', 'refresh_tokens', 'mfa_amr_claims', 'one_time_tokens', 'mfa_factors', 'mfa_challenges', 'flow_state']

export class Session {
  steps = []
  #server
  #normal
  #addresses = new Set()

  /** @param server `url`: of the auth API; `database`: a pool of connections; `secret`: of the tokens; `mails`; `gateway`: requests need an API key */
  constructor(server) {
    this.#server = server
    this.#normal = new Normal(new URL(server.url).host)
    this.anon = this.sign({ iss: 'supabase', role: 'anon', exp: FAR_FUTURE })
    this.service = this.sign({ iss: 'supabase', role: 'service_role', exp: FAR_FUTURE })
  }

  sign(claims, { header, secret = this.#server.secret } = {}) {
    return signToken(secret, claims, header)
  }

  get(path, options) {
    return this.request('GET', path, options)
  }

  post(path, body, options) {
    return this.request('POST', path, { body, ...options })
  }

  put(path, body, options) {
    return this.request('PUT', path, { body, ...options })
  }

  delete(path, body, options) {
    return this.request('DELETE', path, { body, ...options })
  }

  /** A request with the secret key. */
  admin(method, path, body, options) {
    return this.request(method, path, { body, token: this.service, ...options })
  }

  signUp(email, more = {}, options) {
    return this.post('/signup', { email, password: PASSWORD, ...more }, options)
  }

  signIn(email, password = PASSWORD, options) {
    return this.post('/token?grant_type=password', { email, password }, options)
  }

  refresh(token, note, options) {
    return this.post('/token?grant_type=refresh_token', { refresh_token: token }, { note, ...options })
  }

  /** Follows a link of a mail or of generateLink. `change`: other values of its parameters. */
  follow(link, note, change = {}) {
    const parameters = new URLSearchParams({ ...parametersOf(link), ...change })
    return this.get(`/verify?${parameters}`, { note })
  }

  /** Creates a user with a confirmed address, and signs in. */
  async confirmedUser(email, more = {}) {
    await this.admin('POST', '/admin/users', { email, password: PASSWORD, email_confirm: true, ...more }, { brief: true })
    return (await this.signIn(email, PASSWORD, { brief: true })).json
  }

  /**
   * @param options `text`: a body that is not JSON; `note`: tells requests apart in the record; `brief`: keeps only the status and the error, not the
   *   whole body
   */
  async request(method, path, { body, text, token, headers = {}, note, brief } = {}) {
    const all = { ...headers }
    if (token) all.authorization = `Bearer ${token}`
    if (this.#server.gateway) all.apikey = token === this.service ? this.service : this.anon
    if (body !== undefined) all['content-type'] ??= 'application/json'
    const response = await fetch(this.#server.url + path, {
      method,
      headers: all,
      body: text ?? (body === undefined ? undefined : JSON.stringify(body)),
      redirect: 'manual',
    })
    const answer = await response.text()
    const json = parsed(answer)
    const described = [method, path, note ?? (text === undefined ? JSON.stringify(body) : text.slice(0, 60))].filter(Boolean).join(' ')
    this.#keep(this.#stepName(described), { status: response.status, ...this.#headers(response, brief), ...this.#body(response, answer, json, brief) })
    return { status: response.status, json, headers: response.headers }
  }

  /** Keeps a value that a scenario has read from a response. */
  note(name, value) {
    this.#keep(name, { value })
  }

  /** The next mail to an address. */
  async mail(address) {
    this.#addresses.add(address)
    const mail = await this.#server.mails.next(address)
    this.#keep(`mail to ${address}`, { mail: mail ? this.#describe(mail) : 'none' })
    return mail ?? {}
  }

  /** The mails that the scenario did not read. */
  unreadMails() {
    for (const address of this.#addresses) {
      for (let mail = this.#server.mails.take(address); mail; mail = this.#server.mails.take(address))
        this.#keep(`unread mail to ${address}`, { mail: this.#describe(mail) })
    }
  }

  /** The rows of the tables of auth. */
  async rows(note, tables = TABLES) {
    for (const table of tables) {
      const rows = (await this.sql(`select to_jsonb(t) as row from auth.${table} t`)).map(({ row }) => this.#normal.row(row))
      rows.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      if (rows.length > 0) this.#keep(`rows of ${table}, ${note}`, { rows })
    }
  }

  async sql(statement, values) {
    return (await this.#server.database.query(statement, values)).rows
  }

  async clear() {
    for (const table of ['users', 'flow_state', 'one_time_tokens', 'refresh_tokens', 'audit_log_entries']) await this.sql(`delete from auth.${table}`)
  }

  /** Deletes all users, so that one request does not depend on another one. */
  removeUsers() {
    this.#normal.forgetIds()
    return this.sql('delete from auth.users')
  }

  confirmAll() {
    return this.sql("update auth.users set email_confirmed_at = now(), confirmation_token = '' where email is not null").then(() =>
      this.sql('delete from auth.one_time_tokens'),
    )
  }

  #keep(name, result) {
    this.steps.push({ name, ...result })
  }

  #stepName(described) {
    const name = this.#normal
      .location(described)
      .replace(/([?&"](?:token|auth_code|refresh_token|token_hash|nonce|code)"?[=:]"?)([\w-]{12,}|\d{6}(?!\d))/g, '$1<value>')
    return name.length > 150 ? `${name.slice(0, 150)}…` : name
  }

  #headers(response, brief) {
    const headers = {}
    for (const name of HEADERS) {
      const value = response.headers.get(name)
      const isRedirect = response.status >= 300 && response.status < 400
      // A redirect's body is for people, and JSON is what every other response is.
      // A brief step has the error's code already.
      if (brief && name === 'x-sb-error-code') continue
      if (!value || (name === 'content-type' && (isRedirect || value === 'application/json'))) continue
      headers[name] = name === 'location' ? this.#normal.location(withSortedQuery(value)) : this.#normal.text(value)
    }
    return Object.keys(headers).length > 0 ? { headers } : {}
  }

  #body(response, text, json, brief) {
    if (response.status >= 300 && response.status < 400) return {}
    if (json === undefined) return text ? { body: this.#normal.text(text) } : {}
    if (brief && json && typeof json === 'object') return { body: json.msg === undefined ? 'data' : this.#normal.text(`${json.error_code}: ${json.msg}`) }
    return { body: this.#normal.value(json) }
  }

  #describe({ link, code }) {
    return { link: link && this.#normal.text(link), code: code && `${code.length} digits` }
  }
}

export const parametersOf = (link) => Object.fromEntries(new URL(link ?? 'http://no-link').searchParams)

/** The order of parameters has no meaning. */
const withSortedQuery = (location) => location.replace(/\?([^#]*)/, (_, query) => `?${query.split('&').sort().join('&')}`)

const parsed = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
