/**
 * Wrong settings. `place` is the file, variable or option that contains the setting, `setting` is its text, and `words` is what the message must
 * contain. `config`, `cloch`, `env`, `secrets` are texts of config.toml (appended), cloch.toml, .env and secrets.toml (edited). `variables` and
 * `flags` are those of the start. With `warns`, the server starts, and the message is a warning.
 */
export const wrongSettings = [
  { config: '[auth]\njwt_expiry = "1h"', words: [/config\.toml, line \d+: auth\.jwt_expiry: "1h" is written where a whole number/] },
  { config: '[auth]\nsite_url = "localhost:3000"', words: [/auth\.site_url: "localhost:3000"/, /write a whole URL/] },
  { config: '[auth]\nenabel_signup = false', words: [/the key auth\.enabel_signup is unknown; did you mean enable_signup\?/] },
  { config: '[storage]\nfile_size_limit = "big"', words: [/storage\.file_size_limit: "big" is no size: write a number and a unit/] },
  { config: '[storage.buckets.files]\npublic = "yes"', words: [/storage\.buckets\.files\.public: "yes" is written where true or false is expected/] },
  { config: '[auth.email.smtp]\nenabled = true\nhost = ""', words: [/config\.toml.*auth\.email\.smtp\.host/] },
  { config: '[auth]\njwt_secret = "short"', words: [/config\.toml, line \d+: auth\.jwt_secret: /, /16 characters/] },
  { config: '[auth]\njwt_secret = "a secret of more than 32 characters', words: [/config\.toml, line \d+: /] },
  { config: '[auth]\n[auth]', words: [/the section auth is written twice, first in line \d+: keep one of the two/] },
  { config: '[functions.hello]\nverify_jwt = "no"', words: [/config\.toml: functions\.hello\.verify_jwt: "no" is written where true or false is expected/] },
  { config: '[auth.third_party.auth0]\nenabled = true', words: [/config\.toml: auth\.third_party\.auth0: tenant is missing/] },
  { config: '[auth.external.github]\nenabled = true\nsecret = "s"', words: [/config\.toml.*auth\.external\.github\.client_id: is empty, but the provider is enabled/] },
  { cloch: '[server]\nrequest_timeout = "20s"', words: [/cloch\.toml, line 2: server\.request_timeout: "20s" is written where a whole number/] },
  { cloch: '[server]\nrequest_timeout = -1', words: [/server\.request_timeout: -1 is written where a whole number, not negative/] },
  { cloch: '[server]\nrequest_timeout = 99999999999999999999', words: [/cloch\.toml, line 2: server\.request_timeout: the number 99999999999999999999 is outside of the range/] },
  { cloch: '[server]\nhots = "0.0.0.0"', words: [/line 2: the key server\.hots is unknown; did you mean host\?/] },
  { cloch: '[server]\nhost = "everywhere"', words: [/cloch\.toml, line 2: server\.host: "everywhere" is no address/, /0\.0\.0\.0/] },
  { cloch: '[server]\nslow_statement = -1', words: [/cloch\.toml, line 2: server\.slow_statement: write a number of seconds, 0 or more/] },
  { cloch: '[server]\ntrusted_proxies = ["10.0.0.0/33"]', words: [/"10\.0\.0\.0\/33" is written where a network such as 10\.0\.0\.0\/8/] },
  { cloch: '[server.tls]\nlisten = "127.0.0.1:443"\ncertificate = "tls.crt"\nkey = "tls.key"', words: [/cloch\.toml: server\.tls: .*tls\.crt: the file does not exist/] },
  { cloch: '[backup]\nto = "../target"', words: [/\[backup\] encrypt_to is missing/, /CLOCH_BACKUP_PASSPHRASE/] },
  { cloch: '[backup]\nto = ""', words: [/line 2: backup\.to: is empty: write a folder on another disk or s3:/] },
  { cloch: '[backup]\nto = "env(TARGET)"\nencrypt_to = "a long passphrase of words"', words: [/\[backup\] to in cloch\.toml takes the target from TARGET, which is not set/] },
  { cloch: '[backup]\nto = "s3:///club"\nencrypt_to = "a long passphrase of words"', words: [/s3:\/\/ names no bucket/] },
  { cloch: '[backup]\nencrypt_to = "a long passphrase of words"', warns: true, words: [/no backups are made: encrypt_to is set, but not the target/] },
  { cloch: '[backup]\ndrill = "often"', words: [/backup\.drill: "often" is written where one of these is expected: "daily"/] },
  { cloch: '[storage]\nfolder = "https://files.example"', words: [/line 2: storage\.folder: is a URL, not a path: an S3 server is named in \[storage\.s3\]/] },
  { cloch: '[telemetry]\nlog_drain = "https://logs.example"\nlog_drain_authorization = "env(NO_SECRET)"', words: [/telemetry\.log_drain_authorization takes its value from the variable NO_SECRET, which is not set: set it, or remove the key/] },
  { cloch: '[storage.s3]\nendpoint = "minio"\nbucket = "files"\naccess_key_id = "a"\nsecret_access_key = "b"', words: [/line 2: storage\.s3\.endpoint: "minio" is no URL of an S3 server: begin with https:\/\//] },
  { cloch: '[realtime]\nnats_url = "https://nats.example"', words: [/cloch\.toml.*realtime\.nats_url: .*nats:\/\/user:password@host:4222/] },
  { cloch: '[functions.hello]\nmemory_mb = "many"', words: [/cloch\.toml: functions\.hello\.memory_mb: "many" is written where a whole number/] },
  { cloch: '[ai]\nbase_url = "my-server"', words: [/cloch\.toml: ai\.base_url: "my-server" is no whole URL: begin with https:\/\//] },
  { cloch: '[[auth.issuers]]\nissuer = "https://a.example"\naudience = ["app"]\njwks_uri = "keys.json"', words: [/cloch\.toml: auth\.issuers: "https:\/\/a\.example": jwks_uri "keys\.json" is no URL/] },
  { cloch: '[web]\napp = "dist"', words: [/cloch\.toml: web\.app: .*dist has no index\.html: build the app first/] },
  { secrets: [/^jwt_secret = .*$/m, 'jwt_secret = "short"'], setting: 'jwt_secret = "short"', words: [/secrets\.toml/, /jwt_secret/, /16 characters/] },
  { secrets: [/^jwt_secret = .*$/m, 'jwt_secret = 7'], setting: 'jwt_secret = 7', words: [/secrets\.toml, line \d+: jwt_secret has a value of the wrong type; restore the file from a backup/] },
  { secrets: undefined, missing: true, setting: 'the file is lost', words: [/secrets\.toml is missing/, /cloch keys make/] },
  { env: 'SITE=http://localhost:3000\nnot a line\n', config: '[auth]\nsite_url = "env(SITE)"', place: '`.env`', setting: 'not a line', warns: true, words: [/\.env, line 2: skipped/] },
  { config: '[auth]\nsite_url = "env(MY_SITE)"', warns: true, words: [/auth\.site_url takes its value from the variable MY_SITE, which is not set/] },
  { config: '[auth]\nsite_url = "{{PLACEHOLDER}}"', warns: true, words: [/auth\.site_url is the placeholder "\{\{PLACEHOLDER\}\}": links in mails lead to http:\/\/127\.0\.0\.1:3000/] },
  { variables: { CLOCH_SITE_URL: 'club.example' }, words: [/CLOCH_SITE_URL: "club\.example"/, /write a whole URL/] },
  { variables: { CLOCH_DB_URL: 'mysql://127.0.0.1/club' }, words: [/CLOCH_DB_URL/] },
  { variables: { CLOCH_LOG_FORMAT: 'xml' }, words: [/CLOCH_LOG_FORMAT: "xml" is neither json nor text/] },
  { variables: { CLOCH_POSTGRES_BIN: '/nowhere' }, words: [/\/nowhere/] },
  { variables: { CLOCH_JWT_SECRET: 'short' }, words: [/CLOCH_JWT_SECRET/, /16 characters/] },
  { flags: ['--port', '99999'], words: [/99999/, /--port/] },
  { flags: ['--host', 'everywhere'], words: [/--host: "everywhere" is no address/] },
  { flags: ['--project', '/nowhere'], words: [/\/nowhere/] },
]

/** Returns how the page shows a wrong setting: its place and its text. */
export function shown({ place, setting, config, cloch, secrets, missing, variables, flags }) {
  if (variables) return { place: 'environment', setting: Object.entries(variables).map(([name, value]) => `${name}=${value}`).join(' ') }
  if (flags) return { place: 'flag', setting: flags.join(' ') }
  if (secrets || missing) return { place: '`secrets.toml`', setting }
  return { place: place ?? (config === undefined ? '`cloch.toml`' : '`config.toml`'), setting: setting ?? config ?? cloch }
}
