/** The TOML blocks of the pages. The program itself checks them, and they are merged into the files of a project. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { binary } from '../support/program.mjs'

/** The values of the variables that blocks use with `env()`. */
const values = {
  CLOCH_BACKUP_PASSPHRASE: 'tide-granite-lantern-osprey-40',
  CLOCH_READ_URL: 'postgres://cloch:password@db2:5432/postgres',
  SUPABASE_AUTH_SEND_EMAIL_SECRET: `v1,whsec_${Buffer.from('kestrel harbour bright 21').toString('base64')}`,
  SMTP_USER: 'noreply@example.org',
  SMTP_PASS: 'kestrel-harbour-bright-21',
}

/** Returns variables for a block. `read_url` is allowed only with an external database, so a block that contains `read_url` gets `CLOCH_DB_URL`. */
const databaseOf = (text) => (text.includes('read_url') ? { CLOCH_DB_URL: 'postgres://cloch:password@db1:5432/postgres' } : {})

/**
 * Returns the environment in which the program reads a block: the allowed folders outside the project, and the variables that the block uses with
 * `env()`.
 */
const environment = (text) => {
  const named = [...text.matchAll(/env\((\w+)\)/g)].map(([, name]) => [name, values[name] ?? 'kestrel-harbour-bright-21'])
  return { ...process.env, CLOCH_ALLOW_PATHS: '/etc:/mnt', CLOCH_PROJECT_ENV: '*', ...databaseOf(text), ...Object.fromEntries(named) }
}

/** Returns the name of the file to which a block belongs. The comment in the first line can name the file; otherwise it is cloch.toml. */
const fileOf = (block) => /^# (?:supabase\/)?(config|cloch)\.toml/.exec(block.text)?.[1] ?? 'cloch'

/** Writes a block as a file of a project, and returns the program's errors and warnings. The result is empty if the program accepts every line. */
export function problems(block) {
  const folder = mkdtempSync(join(tmpdir(), 'cloch-toml-'))
  const project = join(folder, 'supabase')
  mkdirSync(join(project, 'templates'), { recursive: true })
  // Creates the files that the blocks refer to.
  for (const name of ['invite', 'confirmation', 'recovery', 'magic_link']) writeFileSync(join(project, `templates/${name}.html`), '<p>{{ .ConfirmationURL }}</p>')
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'dist/index.html'), '')
  const name = fileOf(block)
  writeFileSync(join(project, 'config.toml'), `project_id = "docs"\n${name === 'config' ? block.text : ''}`)
  if (name === 'cloch') writeFileSync(join(project, 'cloch.toml'), block.text)
  try {
    const flags = ['--project', project, '--data', join(folder, 'data')]
    const status = spawnSync(binary, ['status', ...flags], { env: environment(block.text), encoding: 'utf8' })
    // The program checks the whole configuration before it reports that the project was never started.
    if (!status.stderr.includes('was never started')) return `${status.stdout}${status.stderr}`
    const { stdout } = spawnSync(binary, ['doctor', ...flags], { env: environment(block.text), encoding: 'utf8' })
    return stdout.split('\n').filter((line) => /^(warning|error)\s+configuration/.test(line)).join('\n')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns a file of a project with the keys of a block. The keys are added to an existing section, or in a new section. */
export function merged(file, block) {
  const lines = file.trimEnd().split('\n')
  for (const [section, keys] of sections(block)) {
    if (section.startsWith('[[') || !lines.includes(section)) {
      lines.push('', section, ...keys)
      continue
    }
    for (const key of keys) {
      const start = lines.indexOf(section) + 1
      const length = lines.slice(start).findIndex((line) => line.startsWith('['))
      const end = length < 0 ? lines.length : start + length
      const name = key.split('=')[0].trim()
      const old = lines.slice(start, end).findIndex((line) => line.split('=')[0].trim() === name)
      lines.splice(old < 0 ? start : start + old, old < 0 ? 0 : 1, key)
    }
  }
  return `${lines.join('\n')}\n`
}

function sections(block) {
  const found = []
  for (const line of block.split('\n')) {
    if (line.startsWith('[')) found.push([line.replace(/\s*#.*/, ''), []])
    else if (/^[\w".-]+ *=/.test(line)) found.at(-1)[1].push(line)
  }
  return found
}
