/**
 * Data folders whose database already contains the platform's SQL, with or without the club's migrations. If a server starts with a copy of such a
 * folder, it is ready in a fraction of the time of a first start. Each folder is created once, by a first start of the program under test, and kept
 * in the folder of temporary files. Every copy gets new keys.
 */
import { execFileSync } from 'node:child_process'
import { createHash, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The parts of the folder that are copied. Keys are created again for each copy. Logs and locks belong to the server that wrote them, so they are not
 * copied.
 */
const copied = ['db', 'objects']

/**
 * Makes `place.data` a copy of a prepared folder.
 * @param {{ project: string, data: string }} place
 * @param {string} program the program under test
 * @param {string} name name of the set of migrations in the folder
 * @param {() => Promise<{ data: string, folder: string }>} firstStart creates such a data folder: starts the program on an empty folder, and stops it
 */
export async function copyPrepared(place, program, name, firstStart) {
  const folder = await prepared(program, name, firstStart)
  mkdirSync(place.data, { mode: statSync(folder).mode & 0o7777 })
  const parts = copied.map((entry) => join(folder, entry)).filter((part) => existsSync(part))
  execFileSync('cp', ['-a', '--reflink=auto', ...parts, place.data])
  writeFileSync(join(place.data, 'secrets.toml'), withOwnKeys(readFileSync(join(folder, 'secrets.toml'), 'utf8')), { mode: 0o600 })
}

async function prepared(program, name, firstStart) {
  const [root, key] = [tmpdir(), `cloch-prepared-${process.getuid?.() ?? 0}-${name}-`]
  const folder = join(root, key + fingerprint(program))
  if (existsSync(folder)) return folder
  for (const old of readdirSync(root).filter((entry) => entry.startsWith(key))) rmSync(join(root, old), { recursive: true, force: true })
  const made = await firstStart()
  // Copies must not contain the log lines of the first start.
  for (const log of readdirSync(join(made.data, 'db')).filter((entry) => entry.startsWith('server.log'))) rmSync(join(made.data, 'db', log))
  const draft = mkdtempSync(`${folder}.`)
  renameSync(made.data, join(draft, 'data'))
  try {
    renameSync(join(draft, 'data'), folder)
  } catch (error) {
    // Another test file has created the folder at the same time.
    if (!existsSync(folder)) throw error
  }
  rmSync(draft, { recursive: true, force: true })
  rmSync(made.folder, { recursive: true, force: true })
  return folder
}

/**
 * Returns a value that identifies the version of the program and of the migrations. If the program or the club's migrations change, a new prepared
 * folder is created.
 */
function fingerprint(program) {
  const hash = createHash('sha256')
  const { size, mtimeMs } = statSync(program)
  hash.update(`${program} ${size} ${mtimeMs}`)
  const migrations = join(import.meta.dirname, '../../supabase-config/migrations')
  for (const file of readdirSync(migrations).sort()) hash.update(file).update(readFileSync(join(migrations, file)))
  hash.update(process.env.CLOCH_POSTGRES_BIN ?? '')
  return hash.digest('hex').slice(0, 16)
}

/** Returns a secrets.toml with new keys and the same database passwords. */
function withOwnKeys(text) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y, d } = privateKey.export({ format: 'jwk' })
  const own = text
    // The server creates a missing key when it starts.
    .replace(/^(anon_key|service_role_key|publishable_key|secret_key|s3_access_key|s3_secret_key) = .*\n/gm, '')
    .replace(/^jwt_secret = .*$/m, `jwt_secret = "${randomBytes(32).toString('hex')}"`)
    .replace(/^(kid|x|y|d) = .*$/gm, (_, key) => `${key} = "${{ kid: randomUUID(), x, y, d }[key]}"`)
  if (own === text) throw new Error('the keys of secrets.toml were not found')
  return own
}
