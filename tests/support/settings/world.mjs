/**
 * A project in which requests show the effect of each setting. Its limits are high and its delays are short, so that each proof needs to
 * change only one setting.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { firstOperator } from '../dashboard.mjs'
import { deno } from '../deno.mjs'
import { messagesTo } from '../inbox.mjs'
import { makeProject, sleep, start } from '../program.mjs'

export const PASSWORD = 'a long password'
const SITE = 'http://localhost:3000'

const CONFIG = `
[auth]
site_url = "${SITE}"
enable_signup = true # Everybody may join.

[auth.email]
max_frequency = "0s"

[auth.sms]
max_frequency = "0s"

[auth.rate_limit]
email_sent = 100000
sms_sent = 100000
anonymous_users = 100000
sign_in_sign_ups = 100000
token_refresh = 100000
token_verifications = 100000
web3 = 100000

[auth.external.github]
enabled = false
`
/** Configures a proxy on this machine as trusted. Then the limits for each network also apply to clients on this machine, and a request can
 * choose its client address. */
const CLOCH = `# Ours.
[server]
trusted_proxies = ["127.0.0.1/32"]
`
const FILES = {
  'cloch.toml': CLOCH,
  'migrations/20260101000000_world.sql': `
    create table public.lines (id bigint generated always as identity primary key, body text);
    grant select, insert on public.lines to anon;
    insert into public.lines (body) select 'line' from generate_series(1, 10);
    create table public.leaky (id int primary key);
    create schema private;
    create table private.things (id int primary key);
    grant usage on schema private to anon;
    grant select on private.things to anon;
    create function public.doze(seconds float) returns text language sql as $$ select pg_sleep(seconds)::text $$;
    create table public.sms (at timestamptz default clock_timestamp(), event jsonb);
    create function public.keep_sms(event jsonb) returns jsonb language plpgsql security definer set search_path = '' as $$
      begin insert into public.sms (event) values (event); return '{}'; end $$;
    grant execute on function public.keep_sms to supabase_auth_admin;
    revoke execute on function public.keep_sms from public, anon, authenticated;
    insert into storage.buckets (id, name, public) values ('files', 'files', true);
    create policy "Everybody uploads" on storage.objects for insert to anon with check (bucket_id = 'files');`,
  'functions/hello/index.ts': `let calls = 0
    Deno.serve(async (request) => {
      calls += 1
      const url = new URL(request.url)
      await new Promise((done) => setTimeout(done, Number(url.searchParams.get('ms') ?? 0)))
      const held = new Array(Number(url.searchParams.get('mb') ?? 0)).fill(0).map(() => new Uint8Array(1 << 20).fill(1))
      return Response.json({ calls, held: held.length, pid: Deno.pid })
    })`,
  'functions/hello/deno.json': '{}',
  'templates/own.html': '<p>From a file: {{ .Email }}</p>',
}
/** A hook that stores text messages in a table. */
export const SMS = {
  'auth.hook.send_sms.enabled': true,
  'auth.hook.send_sms.uri': 'pg-functions://postgres/public/keep_sms',
  'auth.sms.enable_signup': true,
}

export async function makeWorld() {
  const place = await makeProject({ from: null, change: (config) => config + CONFIG, files: FILES })
  const world = new World(place, await start(place, { environment: { CLOCH_DENO: deno } }))
  world.owner = await firstOperator(world.server)
  world.hooks = await recorder()
  return world
}

/** An HTTP server that records requests. It answers hooks with an empty object. */
async function recorder() {
  const calls = []
  const server = createServer((request, response) => {
    const parts = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      calls.push({ path: request.url, headers: request.headers, body: Buffer.concat(parts).toString() })
      const isAttempt = request.url.includes('attempt')
      response.writeHead(200, { 'content-type': 'application/json' })
      const [, realm] = /^(.*)\/\.well-known\/openid-configuration$/.exec(request.url) ?? []
      if (realm !== undefined) return response.end(discovery(`http://${request.headers.host}${realm}`))
      response.end(isAttempt ? '{"decision":"continue"}' : request.url.endsWith('custom_access_token') ? tokenAnswer(calls.at(-1).body) : '{}')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { calls, url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() }
}
/** Discovery document of an OpenID provider. */
const discovery = (issuer) =>
  JSON.stringify({ issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` })
const tokenAnswer = (body) => JSON.stringify({ claims: JSON.parse(body).claims })

/** Returns a number below 65,536 for a token, so that all requests with the same token come from the same network. */
const numberOf = (token) => [...token].reduce((number, letter) => (number * 31 + letter.charCodeAt(0)) % 65_536, 7)

let people = 0

class World {
  constructor(place, server) {
    Object.assign(this, { place, server })
  }

  /** Restarts the server, so that settings without live effect take effect. */
  async restart() {
    await this.server.stop()
    this.server = await start(this.place, { environment: { CLOCH_DENO: deno } })
    this.owner.url = this.server.url
  }

  async close() {
    this.hooks?.close()
    await this.server.remove()
  }

  read(name) {
    try {
      return readFileSync(join(this.server.project, name), 'utf8')
    } catch {
      return ''
    }
  }

  fetch(path, { key = this.server.anonKey, token = key, body, method = body === undefined ? 'GET' : 'POST', headers = {} } = {}) {
    // The server limits codes of second factors for each network, and no setting changes this limit. Therefore each request uses another network.
    const from = path.startsWith('/auth/v1/factors') ? { 'x-forwarded-for': `2001:db8:${numberOf(token).toString(16)}::2` } : {}
    return fetch(`${this.server.url}${path}`, {
      method,
      redirect: 'manual',
      headers: { apikey: key, authorization: `Bearer ${token}`, connection: 'close', 'content-type': 'application/json', ...from, ...headers },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    })
  }

  async status(path, options) {
    return (await this.fetch(path, options)).status
  }

  async json(path, options) {
    return (await this.fetch(path, options)).json()
  }

  admin(path, options) {
    return this.json(`/auth/v1/admin${path}`, { key: this.server.serviceKey, ...options })
  }

  async sql(text) {
    const { results, error } = await this.owner.must('POST', '/sql/run', { sql: text, as: { role: 'postgres' }, read_only: false })
    if (error) throw new Error(JSON.stringify(error))
    return results
  }

  address() {
    return `person-${(people += 1)}@club.example`
  }

  phone() {
    return `4479${String((people += 1)).padStart(8, '0')}`
  }

  /** Creates a user with a confirmed address, and signs the user in. */
  async user(more = {}) {
    const email = this.address()
    const { id } = await this.admin('/users', { body: { email, password: PASSWORD, email_confirm: true, ...more } })
    return { id, email, ...(await this.signIn(email)) }
  }

  async signIn(email, password = PASSWORD) {
    const answer = await this.json('/auth/v1/token?grant_type=password', { body: { email, password } })
    return { token: answer.access_token, refresh: answer.refresh_token, life: answer.expires_in }
  }

  refresh(refresh) {
    return this.fetch('/auth/v1/token?grant_type=refresh_token', { body: { refresh_token: refresh } })
  }

  signUp(more = {}) {
    return this.fetch('/auth/v1/signup', { body: { email: this.address(), password: PASSWORD, ...more } })
  }

  link(type, more = {}) {
    return this.admin('/generate_link', { body: { type, ...more } })
  }

  /** Returns the mails to an address, newest first. Waits until there is at least one. */
  async mails(address, isWanted = () => true) {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const found = (await messagesTo(this.server.url, address)).filter(isWanted)
      if (found.length > 0) return found
      await sleep(50)
    }
    return []
  }

  /** Returns the number of mails to an address. Waits until the requests that may send one have ended. */
  async countMails(address) {
    return (await messagesTo(this.server.url, address)).length
  }

  /** Returns the code in the last text message. */
  async lastCode() {
    const [{ event }] = await this.json('/rest/v1/sms?select=event&order=at.desc&limit=1', { key: this.server.serviceKey })
    return event.sms.otp
  }

  factor(token, body = { factor_type: 'totp', friendly_name: `${(people += 1)}` }) {
    return this.fetch('/auth/v1/factors', { token, body })
  }

  upload(bytes, { key = this.server.serviceKey, type = 'text/plain' } = {}) {
    return this.fetch(`/storage/v1/object/files/${(people += 1)}`, { key, method: 'POST', body: 'x'.repeat(bytes), headers: { 'content-type': type } })
  }
}
