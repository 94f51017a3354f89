/** The servers that supabase-py's suites expect. They have the settings and the test data that the suites give to Supabase's containers. */
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { freePort, makeProject, start } from '../support/program.mjs'
import { gateway } from './gateway.mjs'

/** The secret of the auth servers in src/auth/infra/docker-compose.yml. The suite signs tokens with it. */
const authSecret = '37c304f8-51aa-419a-a1af-06154e63707a'

const auth = (settings, more = '') => `
[auth]
site_url = "http://localhost:9999"
additional_redirect_urls = ["https://supabase.io/docs", "http://localhost:9999/**"]
${settings}

[auth.rate_limit]
anonymous_users = 10000
sign_in_sign_ups = 10000
token_refresh = 10000
token_verifications = 10000

[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
${more}`

/** The four auth servers with their `settings`, and the port at which the suite expects each server. */
const authServers = (rsaKeys) => [
  {
    port: 9998,
    settings: auth(
      `jwt_secret = "${authSecret}"\nsigning_keys_path = "./signing_keys.json"\nenable_anonymous_sign_ins = true`,
      '[auth.email]\nenable_confirmations = false\n[auth.sms]\nenable_signup = true\n[auth.oauth_server]\nenabled = true\nallow_dynamic_registration = true\n',
    ),
    keys: '[]',
  },
  {
    port: 9999,
    sharesDatabase: true,
    settings: auth(
      `jwt_secret = "${authSecret}"\nsigning_keys_path = "./signing_keys.json"\nenable_anonymous_sign_ins = true`,
      '[auth.email]\nenable_confirmations = true\n[auth.sms]\nenable_signup = true\nenable_confirmations = true\n[auth.sms.twilio]\nenabled = true\naccount_sid = "AC"\nmessage_service_sid = "MG"\nauth_token = "a token"\n[auth.external.google]\nenabled = true\nclient_id = "google"\nsecret = "a secret"\n',
    ),
    keys: '[]',
  },
  {
    port: 9997,
    settings: auth(`jwt_secret = "${authSecret}"\nsigning_keys_path = "./signing_keys.json"\nenable_signup = false`, '[auth.email]\nenable_signup = false\n[auth.sms]\nenable_signup = false\n'),
    keys: '[]',
  },
  {
    port: 9996,
    settings: auth('jwt_secret = "Z7-AyPyChGNcQsX16cPBV-pPBo4q-zckDxkq1VZjATo"\nsigning_keys_path = "./signing_keys.json"', '[auth.email]\nenable_confirmations = false\n'),
    keys: rsaKeys,
  },
]

/** Returns the private key of the suite's server `autoconfirm_with_asymmetric_keys`. */
function rsaKeysOf(folder) {
  const compose = readFileSync(join(folder, 'src/auth/infra/docker-compose.yml'), 'utf8')
  const [, text] = /GOTRUE_JWT_KEYS: '(.*)'\n(?:.*\n)*?.*PORT: 9996/.exec(compose.slice(compose.indexOf('autoconfirm_with_asymmetric_keys')))
  return JSON.stringify(JSON.parse(text).filter(({ kty }) => kty === 'RSA'))
}

async function startAuth(folder, open) {
  let first
  for (const { port, settings, keys, sharesDatabase } of authServers(rsaKeysOf(folder))) {
    const place = await makeProject({ from: null, files: { 'signing_keys.json': keys }, change: (text) => text + settings })
    const environment = {}
    if (sharesDatabase) {
      mkdirSync(place.data, { recursive: true })
      const secrets = join(first.data, 'secrets.toml')
      copyFileSync(secrets, join(place.data, 'secrets.toml'))
      const database = new URL(first.keys.DB_URL)
      database.username = 'supabase_admin'
      database.password = /^supabase_admin = "(.*)"$/m.exec(readFileSync(secrets, 'utf8'))[1]
      environment.CLOCH_DB_URL = database.href
    }
    const server = await start(place, { environment })
    open(() => server.remove())
    open(await gateway(port, `${server.url}/auth/v1`))
    first ??= server
  }
  return {}
}

async function startTables(folder, open) {
  const fixture = readFileSync(join(folder, 'src/postgrest/infra/init.sql'), 'utf8')
  const plan = '\nalter role authenticator set pgrst.db_plan_enabled = true;\n'
  const place = await makeProject({ from: null, files: { 'migrations/20260101000000_init.sql': fixture + plan } })
  const server = await start(place)
  open(() => server.remove())
  open(await gateway(3000, `${server.url}/rest/v1`))
  return {}
}

/** Starts a project with the suite's own folder for the Supabase CLI. */
const startFolder = (name, environmentOf) => async (folder, open) => {
  const databasePort = await freePort()
  const change = (config) => config.replace(/^(\[db\]\n[^[]*?^port = )\d+/m, `$1${databasePort}`)
  const place = await makeProject({ from: join(folder, `src/${name}/infra/supabase`), change })
  const server = await start(place, { flags: ['--port', String(place.port)], environment: {} })
  open(() => server.remove())
  return environmentOf(server)
}

/**
 * The suites: the folder below src/, and the function that starts the servers. Each `start` gets the folder of the sources, and a function to which
 * it passes what stops a server. It returns the environment variables of the suite. `exceptions`: tests that must fail with every server, because
 * they are older than the library, with the reason.
 */
export const suites = [
  { name: 'auth', start: startAuth, exceptions: { test_helpers: 'all tests of this file import `model_dump`, which the library does not have any more' } },
  {
    name: 'postgrest',
    start: startTables,
    exceptions: {
      test_response_client_invalid_response_but_valid_json: "the library now takes the error's text from the status",
      test_contained_by_mixed_items: 'the library now escapes the elements of a list',
    },
  },
  {
    name: 'realtime',
    start: startFolder('realtime', ({ url, anonKey }) => ({ SUPABASE_URL: url, SUPABASE_PUBLISHABLE_KEY: anonKey })),
    exceptions: { test_presence_enabled_when_callbacks_attached: 'the library now waits for the reply to a join, and the mock of this test sends none' },
  },
  // The suite empties buckets with this key. The storage server now allows this only with the service key.
  { name: 'storage', start: startFolder('storage', ({ url, serviceKey }) => ({ SUPABASE_TEST_URL: `${url}/storage/v1/`, SUPABASE_TEST_KEY: serviceKey })) },
]
