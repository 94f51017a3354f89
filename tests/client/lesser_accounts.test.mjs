/**
 * If Cloch runs as root, it runs other programs in less privileged accounts. Each test replaces a program by a script that records its
 * account, and that tries to read and write files of root.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { unprivileged } from '../support/account.mjs'
import { binary, makeProject, removePlace } from '../support/program.mjs'

const skip = process.getuid() !== 0 && 'only root can run programs in other accounts'
const places = []
let bin

before(() => {
  bin = mkdtempSync(join(tmpdir(), 'cloch-accounts-'))
  chmodSync(bin, 0o755)
})
after(() => {
  places.forEach(removePlace)
  rmSync(bin, { recursive: true, force: true })
})

async function project(files) {
  const place = await makeProject({ from: null, files })
  places.push(place)
  return place
}

const run = (place, environment, ...words) => {
  const { status, stdout, stderr } = spawnSync(binary, [...words, '--project', place.project, '--data', place.data], {
    encoding: 'utf8', timeout: 120_000, env: { ...process.env, ...environment }, cwd: '/',
  })
  assert.equal(status, 0, stdout + stderr)
  return stdout + stderr
}

/** Writes an executable script. */
function script(path, text) {
  writeFileSync(path, `#!/bin/sh\n${text}\n`)
  chmodSync(path, 0o755)
}

/** Creates a file of root to which the PostgreSQL account can append, and a file that only root can read. */
const record = () => {
  const path = join(bin, 'record')
  writeFileSync(path, '')
  chmodSync(path, 0o666)
  return path
}

test('pg_dump and pg_restore run in the account of the database', { skip }, async () => {
  const real = readdirSync('/usr/lib/postgresql').sort((one, other) => Number(other) - Number(one)).map((version) => `/usr/lib/postgresql/${version}/bin`)[0]
  const postgres = join(bin, 'postgres')
  mkdirSync(postgres)
  const ran = record()
  const secret = join(bin, 'secret')
  writeFileSync(secret, 'of root')
  chmodSync(secret, 0o600)
  for (const name of readdirSync(real)) {
    if (!['pg_dump', 'pg_restore'].includes(name)) symlinkSync(join(real, name), join(postgres, name))
    else script(join(postgres, name), `echo "${name} $(id -u) $(id -g) $(id -G) $(cat ${secret} 2>/dev/null) \${HOME-}" >> ${ran}\nexec ${join(real, name)} "$@"`)
  }
  const environment = { CLOCH_POSTGRES_BIN: postgres }
  const notes = 'create table public.notes (id int primary key); insert into public.notes values (7);'
  const place = await project({ 'migrations/20260101000000_notes.sql': notes })
  run(place, environment, 'db', 'migrate')
  // The folder of the dump belongs to root, and other accounts cannot enter it.
  const folder = join(bin, 'private')
  mkdirSync(folder, { mode: 0o700 })
  const dump = join(folder, 'project.dump')
  run(place, environment, 'db', 'dump', dump)
  assert.deepEqual([statSync(dump).uid, statSync(dump).mode & 0o777], [0, 0o600])
  const other = await project({})
  // The second project has different keys.
  run(other, environment, 'db', 'restore', dump, '--yes', '--trust')
  run(other, environment, 'export', '--dir', join(folder, 'exported'))
  assert.match(readFileSync(join(folder, 'exported/data.sql'), 'utf8'), /notes[^]*\n7\n/)
  const { uid, gid } = unprivileged
  const lines = readFileSync(ran, 'utf8').trim().split('\n').map((line) => line.trim())
  const expected = (name) => `${name} ${uid} ${gid} ${gid}`
  assert.equal(lines[0], expected('pg_dump'))
  assert.equal(lines[1], expected('pg_restore'))
  assert.ok(lines.length > 2, 'the export runs pg_dump')
  for (const line of lines.slice(2)) assert.equal(line, expected('pg_dump'))
})

test('Deno reads imports and downloads packages in an account of its own', { skip }, async () => {
  const deno = join(bin, 'deno')
  const secret = join(bin, 'secret.txt')
  writeFileSync(secret, 'of root')
  const place = await project({ 'functions/hello/index.ts': 'Deno.serve(() => new Response("hello"))' })
  // The script writes its results into its cache: except for the lock file's folder, this is the only folder to which it can write.
  script(deno, `
    [ "$1" = --version ] && { echo 'deno 2.9.6 (stable, release, x86_64-unknown-linux-gnu)'; exit; }
    {
      echo "$1 $(id -u) $(id -g) $(id -G)"
      cat ${secret} 2>/dev/null && echo 'has read another file'
      cat ${place.project}/functions/hello/index.ts > /dev/null || echo 'has not read the function'
      echo changed 2>/dev/null >> ${place.project}/functions/hello/index.ts && echo 'has changed the function'
      echo changed 2>/dev/null >> ${place.data}/secrets.toml && echo 'has changed the secrets'
      cat /proc/$$/status | grep CapEff
    } >> "$DENO_DIR/ran"
    [ "$1" = info ] && echo '{"modules": []}'
    while [ $# -gt 1 ]; do
      [ "$1" = --lock ] && { cat "$2" >> "$DENO_DIR/ran" 2>/dev/null; echo '{"version":"5"}' > "$2.new" && mv "$2.new" "$2"; }
      shift
    done
    exit 0`)
  const environment = { CLOCH_DENO: deno }
  run(place, environment, 'functions', 'cache')
  const cache = join(place.data, 'functions/cache')
  const capabilities = 'CapEff:\t0000000000000004'
  assert.equal(readFileSync(join(cache, 'ran'), 'utf8'), ['info', 'cache'].map((name) => `${name} 61755 61755 61755\n${capabilities}\n`).join(''))
  const lock = join(place.data, 'functions/made/hello.folder/deno.lock')
  assert.deepEqual([readFileSync(lock, 'utf8'), statSync(lock).uid], ['{"version":"5"}\n', 0])
  // A changed function is resolved again, with the existing lock file.
  writeFileSync(join(place.project, 'functions/hello/index.ts'), '// changed')
  run(place, environment, 'functions', 'cache')
  assert.ok(readFileSync(join(cache, 'ran'), 'utf8').endsWith(`${capabilities}\n{"version":"5"}\n`))
})

test('a package cache of an earlier version that belongs to root is given to the account', { skip }, async () => {
  const deno = join(bin, 'deno-2')
  script(deno, `
    [ "$1" = --version ] && { echo 'deno 2.9.6 (stable, release, x86_64-unknown-linux-gnu)'; exit; }
    echo "$1" >> "$DENO_DIR/npm/registry.npmjs.org/zod/meta.json" || exit 1
    [ "$1" = info ] && echo '{"modules": []}'
    exit 0`)
  const place = await project({ 'functions/hello/index.ts': 'Deno.serve(() => new Response("hello"))' })
  const folder = join(place.data, 'functions/cache/npm/registry.npmjs.org/zod')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'meta.json'), '')
  const outside = join(bin, 'outside')
  writeFileSync(outside, '')
  symlinkSync(outside, join(folder, 'link'))
  run(place, { CLOCH_DENO: deno }, 'functions', 'cache')
  assert.equal(readFileSync(join(folder, 'meta.json'), 'utf8'), 'info\ncache\n')
  assert.equal(statSync(outside).uid, 0, 'the target of a link')
})
