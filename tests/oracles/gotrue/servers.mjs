/** The servers: two Cloch programs, one with and one without confirmation of addresses, and the reference with the same settings. */
import pg from 'pg'

import { freePort, makeProject, start } from '../../support/program.mjs'
import { startSink } from './mail_sink.mjs'

const SECRET = 'oracle-secret-oracle-secret-oracle-secret-01'
const TEMPLATE = '<p>Code {{ .Token }}</p><a href="{{ .ConfirmationURL }}">link</a>'
const MAILS = ['invite', 'confirmation', 'recovery', 'magic_link', 'email_change', 'reauthentication']
/** Numbers that get no message, and the code of all. */
const TEST_NUMBERS = Array.from({ length: 60 }, (_, n) => 441_234_567_810 + n)

const settings = (confirmations, smtpPort) => `
[auth]
site_url = "http://127.0.0.1:3000"
additional_redirect_urls = ["https://app.example.org/**"]
enable_signup = true
enable_anonymous_sign_ins = true
enable_manual_linking = true
minimum_password_length = 6
[auth.rate_limit]
email_sent = 1000000
sms_sent = 1000000
anonymous_users = 1000000
token_refresh = 1000000
sign_in_sign_ups = 1000000
token_verifications = 1000000
[auth.email]
enable_confirmations = ${confirmations}
double_confirm_changes = true
max_frequency = "1ms"
otp_length = 6
otp_expiry = 3600
[auth.email.smtp]
host = "127.0.0.1"
port = ${smtpPort}
user = ""
pass = ""
admin_email = "admin@example.org"
sender_name = ""
${MAILS.map((mail) => `[auth.email.template.${mail}]\nsubject = "${mail}"\ncontent_path = "./templates/mail.html"`).join('\n')}
[auth.sms]
enable_signup = true
enable_confirmations = ${confirmations}
max_frequency = "1ms"
[auth.sms.twilio]
enabled = true
account_sid = "x"
message_service_sid = "x"
auth_token = "x"
[auth.sms.test_otp]
${TEST_NUMBERS.map((number) => `${number} = "123456"`).join('\n')}
[auth.mfa]
max_enrolled_factors = 10
[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
[auth.mfa.phone]
enroll_enabled = true
verify_enabled = true
[auth.external.github]
enabled = true
client_id = "ghid"
secret = "ghsecret"
[auth.external.google]
enabled = true
client_id = "ggid"
secret = "ggsecret"
`

export async function startCloch({ confirmations }) {
  const mails = await startSink(await freePort())
  const place = await makeProject({
    from: null,
    change: (config) => config + settings(confirmations, mails.port),
    files: { 'templates/mail.html': TEMPLATE },
  })
  const cloch = await start(place, { environment: { CLOCH_JWT_SECRET: SECRET } })
  const database = pool(cloch.keys.DB_URL)
  const close = async () => {
    mails.close()
    await database.end()
    await cloch.remove()
  }
  return { url: `${cloch.url}/auth/v1`, database, secret: SECRET, mails, gateway: true, output: cloch.output, close }
}

/** The reference servers of the environment, or `undefined`. */
export async function references() {
  const { CLOCH_TEST_GOTRUE_URL: urls, CLOCH_TEST_GOTRUE_DB_URL: databases } = process.env
  if (!urls || !databases) return undefined
  const mails = await startSink(Number(process.env.CLOCH_TEST_GOTRUE_SMTP_PORT ?? 2525))
  const [withConfirmations, without] = urls.split(' ').map((url, n) => {
    const database = pool(databases.split(' ')[n])
    return { url, database, secret: process.env.CLOCH_TEST_GOTRUE_JWT_SECRET ?? SECRET, mails, gateway: false, close: () => database.end() }
  })
  const close = () => Promise.all([mails.close(), withConfirmations.close(), without.close()])
  return { withConfirmations, without, close }
}

const pool = (connectionString) => new pg.Pool({ connectionString, max: 2 })
