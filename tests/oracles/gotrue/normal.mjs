/** Replaces what differs in each run: ids, times, tokens, addresses of the servers. Equal ids get equal numbers. */
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
const TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d(:\d\d)?)?/g
const JWT = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]*/

/** Values of these keys are random. A refresh token's length is part of its format. */
const RANDOM = new Set(['auth_code', 'email_otp', 'encrypted_password', 'error_id', 'message_id', 'parent', 'qr_code', 'refresh_token', 'secret', 'token'])
/** Soft deletion replaces addresses and numbers by hashes. A hash in a column for numbers is cut to 15 characters. */
const HASH = /^[\w-]{43}$/
const NUMBERS = /^(phone|phone_change|new_phone)$/
const UNIX_TIMES = new Set(['exp', 'iat', 'expires_at', 'timestamp'])
/** Go and Rust describe a syntax error in their own words. */
const PARSER = /(Could not (?:parse|read) request body as JSON: )[^]*/

export class Normal {
  #ids = new Map()
  #host

  constructor(host) {
    this.#host = host
  }

  /** From here on, ids have the numbers from 1 again. */
  forgetIds() {
    this.#ids.clear()
  }

  /** A response's body, with sorted keys. */
  value(value, key = '') {
    if (Array.isArray(value) && key === 'identities') return byProvider(value).map((identity) => this.value(identity))
    if (Array.isArray(value) && key === 'providers') return [...value].sort()
    if (Array.isArray(value)) return value.map((item) => this.value(item, key))
    if (value && typeof value === 'object') return Object.fromEntries(sorted(value).map(([name, item]) => [name, this.value(item, name)]))
    if (typeof value === 'number') return UNIX_TIMES.has(key) ? '<time>' : value
    if (typeof value !== 'string' || value === '') return value
    if (key === 'uri') return value.replace(/secret=[A-Z2-7]+/, 'secret=<secret>').replaceAll(this.#host, '<host>')
    if (RANDOM.has(key)) return key === 'refresh_token' ? `<${value.length} characters>` : `<${key}>`
    if (JWT.test(value) && value.split('.').length === 3) return this.claims(value)
    if (isHash(value, key)) return '<hash>'
    return this.text(value)
  }

  /** The claims of an access token. The metadata of the user is the same as in the response. */
  claims(token) {
    const claims = JSON.parse(Buffer.from(token.split('.')[1], 'base64url'))
    return this.value({
      ...claims,
      user_metadata: Object.keys(claims.user_metadata ?? {})
        .sort()
        .join(),
    })
  }

  text(text, { onlyKnown = false } = {}) {
    return text
      .replace(PARSER, '$1<error>')
      .replace(new RegExp(JWT, 'g'), '<jwt>')
      .replace(UUID, (id) => this.#id(id.toLowerCase(), onlyKnown))
      .replace(/[0-9a-f]{56}/g, '<token>')
      .replace(TIME, '<time>')
      .replaceAll(this.#host, '<host>')
      .replaceAll(encodeURIComponent(this.#host), '<host>')
  }

  /** A redirect: the values of its parameters, in the query and in the fragment. */
  location(location) {
    const replaced = location.replace(/((?:[?&#])(?:code|state|refresh_token|provider_token)=)[^&#]+/g, '$1<random>').replace(/(expires_at=)\d+/, '$1<time>')
    return this.text(replaced)
  }

  /**
   * A row of a table. Columns with null are left out, and the id, which says nothing. A time or a token is only `<time>` or `<set>`. An id that no
   * response contained has no number, because the order of rows has no meaning.
   */
  row(row) {
    return Object.fromEntries(
      sorted(row)
        .filter(([column, value]) => value !== null && column !== 'id')
        .map(([column, value]) => [column, this.#column(column, value)]),
    )
  }

  #column(column, value) {
    if (value === '' || typeof value === 'boolean') return value
    if (/^(ip|user_agent|ip_address)$/.test(column)) return '<set>'
    if (isHash(value, column)) return '<hash>'
    if (/token(_new|_current|_hash|_hmac_key)?$|^encrypted_password$|^secret$|^parent$|^auth_code$|^code_challenge$/.test(column)) return '<set>'
    if (typeof value === 'object') return JSON.parse(this.text(JSON.stringify(this.value(value)), { onlyKnown: true }))
    return typeof value === 'string' ? this.text(value, { onlyKnown: true }) : value
  }

  #id(id, onlyKnown) {
    if (onlyKnown && !this.#ids.has(id)) return '<id>'
    if (/^0{8}-/.test(id)) return id
    if (!this.#ids.has(id)) this.#ids.set(id, `<id ${this.#ids.size + 1}>`)
    return this.#ids.get(id)
  }
}

/** The identities of a user have no order. */
const byProvider = (identities) => [...identities].sort((a, b) => (a.provider < b.provider ? -1 : 1))

const isHash = (value, key) => HASH.test(value) || (NUMBERS.test(key) && /^[\w-]{15}$/.test(value) && /[A-Z_-]/i.test(value))

const sorted = (object) => Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1))
