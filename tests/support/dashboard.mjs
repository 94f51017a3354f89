/** Operators of a running `cloch`, as clients of /_/api. */
import assert from 'node:assert/strict'

const PASSWORD = 'Greenock pier at dusk'
const tokenOf = (link) => link.split('#token=')[1]

/** The session of an operator. Its requests contain the session's cookie and CSRF token. */
export class Operator {
  constructor(url) {
    Object.assign(this, { url, cookie: '', csrf: '' })
  }

  /** Sends a request in this session. @returns {Promise<Response>} the unchanged response */
  async fetch(method, path, body, { headers = {}, signal } = {}) {
    const response = await fetch(`${this.url}/_/api${path}`, {
      method,
      signal,
      headers: {
        origin: this.url,
        'sec-fetch-site': 'same-origin',
        ...(this.cookie && { cookie: this.cookie }),
        ...(method !== 'GET' && this.csrf && { 'x-cloch-csrf': this.csrf }),
        ...(typeof body === 'object' && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: typeof body === 'object' ? JSON.stringify(body) : body,
    })
    const cookie = response.headers.get('set-cookie')
    if (cookie) this.cookie = cookie.split(';')[0]
    return response
  }

  async send(method, path, body, options) {
    const response = await this.fetch(method, path, body, options)
    const text = await response.text()
    const json = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined
    if (json?.csrf) this.csrf = json.csrf
    return { status: response.status, json, text, headers: response.headers }
  }

  /** Returns the JSON of the response, which must have the expected status. */
  async must(method, path, body, status = 200) {
    const answer = await this.send(method, path, body)
    assert.equal(answer.status, status, `${method} ${path}: ${answer.text.slice(0, 500)}`)
    return answer.json
  }
}

/** Creates the first operator, who becomes an owner. */
export async function firstOperator(server, email = 'owner@club.example') {
  const owner = new Operator(server.url)
  await owner.must('POST', '/welcome', { token: tokenOf(server.keys.DASHBOARD_LINK), email, name: 'Owner', password: PASSWORD })
  return owner
}

/** Creates an operator through an owner's invitation. */
export async function invited(owner, role, email = `${role}@club.example`) {
  const { link } = await owner.must('POST', '/operators', { email, role })
  const operator = new Operator(owner.url)
  await operator.must('POST', '/welcome', { token: tokenOf(link), name: role, password: PASSWORD })
  return operator
}
