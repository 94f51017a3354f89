/**
 * Dumps that this project's `cloch db dump` has not written. pg_restore executes the statements of a dump as the database's superuser, who can
 * run programs. Each forged dump tries to append to the file `ran`, or to make its author a superuser. `cloch db restore` must refuse it
 * before its first statement. With `--trust`, it is restored.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, openSync, closeSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'

import { createClient } from '@supabase/supabase-js'

import { binary, makeProject, removePlace, start } from '../support/program.mjs'

const SEAL_BYTES = 101
/** The text of a comment in the dump. A forged dump has a statement of the same length instead of the statement `COMMENT ON TABLE`. */
const filler = 'x'.repeat(400)
const migration = `create table public.notes (body text); insert into public.notes values ('kept'); comment on table public.notes is '${filler}';
grant all on public.notes to service_role;`
const comment = `COMMENT ON TABLE public.notes IS '${filler}';`

const root = mkdtempSync(join(tmpdir(), 'cloch-dumps-'))
const ran = join(root, 'ran')
let place
/** The dump of the project, and one of a second project with other keys, both with their seals. */
let authentic
let foreign
let count = 0

const run = (given, { project = place.project, data = place.data, environment = {}, stdin } = {}) => {
  const { status, stdout, stderr } = spawnSync(binary, [...given, '--project', project, '--data', data], {
    encoding: 'utf8', timeout: 120_000, env: { ...process.env, ...environment }, stdio: [stdin ?? 'ignore', 'pipe', 'pipe'],
  })
  return { status, text: stdout + stderr }
}
/** Writes a file with a new name. */
function file(content, name = 'a.dump') {
  const folder = join(root, `${(count += 1)}`)
  mkdirSync(folder, { mode: 0o755 })
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}
/** A new data folder with the keys of the project. */
function folder() {
  const data = join(root, `data-${(count += 1)}`)
  mkdirSync(data)
  copyFileSync(join(place.data, 'secrets.toml'), join(data, 'secrets.toml'))
  return data
}
const without = (dump) => dump.subarray(0, dump.length - SEAL_BYTES)
const seal = (dump) => dump.subarray(dump.length - SEAL_BYTES)
/** Returns the dump with another statement in place of the comment. The list of statements in a dump is not compressed. */
function forged(statement, dump = authentic) {
  const at = dump.indexOf(comment)
  assert.ok(at > 0 && statement.length <= comment.length, 'the comment is in the dump')
  const changed = Buffer.from(dump)
  changed.write(statement.padEnd(comment.length), at, 'latin1')
  return changed
}
const program = () => `COPY public.notes FROM PROGRAM 'echo ran >> ${ran}';`
const untouched = () => assert.equal(readFileSync(ran, 'utf8'), '')
/** Restores into a new data folder, and checks that no database was started. */
function refused(path, message, options = {}) {
  const data = options.data ?? folder()
  const before = existsSync(data) ? readdirSync(data) : undefined
  const { status, text } = run(['db', 'restore', path], { data, ...options })
  assert.equal(status, 1, text)
  assert.match(text, message)
  untouched()
  assert.equal(existsSync(join(data, 'db')), false, 'no database was created')
  if (before) assert.deepEqual(readdirSync(data).filter((name) => /partial|\.dump/.test(name)), [])
  return text
}

before(async () => {
  chmodSync(root, 0o755)
  writeFileSync(ran, '')
  chmodSync(ran, 0o666)
  place = await makeProject({ from: null, files: { 'migrations/20260101000000_notes.sql': migration } })
  const other = await makeProject({ from: null, fresh: true, files: { 'migrations/20260101000000_notes.sql': migration } })
  for (const [name, of] of [['authentic.dump', place], ['foreign.dump', other]]) {
    for (const given of [['db', 'migrate'], ['db', 'dump', join(root, name)]]) {
      const { status, text } = run(given, of)
      assert.equal(status, 0, text)
    }
  }
  removePlace(other)
  authentic = readFileSync(join(root, 'authentic.dump'))
  foreign = readFileSync(join(root, 'foreign.dump'))
})
after(() => {
  removePlace(place)
  rmSync(root, { recursive: true, force: true })
})

describe('a dump that was not written by this project is not executed', { timeout: 300_000 }, () => {
  const noSeal = /is not restored: it has no seal: .* --trust/
  const isChanged = /is not restored: it is not what was written: the file, or its seal, was changed/
  const tar = () => {
    const path = file(program(), 'restore.sql')
    execFileSync('tar', ['-cf', `${path}.tar`, '-C', join(path, '..'), 'restore.sql'])
    return readFileSync(`${path}.tar`)
  }
  const dumps = [
    ['a program, without a seal', () => without(forged(program())), noSeal],
    ['a program, in a dump of the project whose seal was left', () => forged(program()), isChanged],
    ['a program, with the seal of a dump of the project', () => Buffer.concat([without(forged(program(), foreign)), seal(authentic)]), isChanged],
    ['a program, with a seal of another project', () => foreign, /its seal was made with another key: use the data folder with the secrets\.toml of the server/],
    ['a program, with a seal of zeros', () => Buffer.concat([without(forged(program())), Buffer.from(seal(authentic).toString('latin1').replace(/[0-9a-f]{64}\n$/, `${'0'.repeat(64)}\n`), 'latin1')]), isChanged],
    ['a program, with an empty seal', () => Buffer.concat([without(forged(program())), Buffer.from(seal(authentic).toString('latin1').replace(/[0-9a-f]{64}\n$/, '\n'), 'latin1')]), isChanged],
    ['a program behind the seal', () => Buffer.concat([authentic, Buffer.from(`${program()}\n`)]), /something was appended to the file/],
    ['a program between the dump and its seal', () => Buffer.concat([without(authentic), Buffer.from(`${program()}\n`), seal(authentic)]), isChanged],
    ['a program before a second copy of the seal', () => Buffer.concat([forged(program()), seal(authentic)]), isChanged],
    ['a program, with a seal of a later version', () => Buffer.concat([without(forged(program())), Buffer.from(seal(authentic).toString('latin1').replace('seal 1 ', 'seal 2 '), 'latin1')]), /its seal has the version 2, which this version of Cloch cannot verify/],
    ['a program for output', () => forged(`COPY public.notes TO PROGRAM 'cat >> ${ran}';`), isChanged],
    ['a program in a block', () => forged(`DO $$ BEGIN EXECUTE $x$${program()}$x$; END $$;`), isChanged],
    ['a superuser', () => forged('CREATE ROLE evil SUPERUSER LOGIN;'), isChanged],
    ['a member of the roles for programs', () => forged('GRANT pg_execute_server_program TO postgres;'), isChanged],
    ['a function in an untrusted language', () => forged(`CREATE FUNCTION public.f() RETURNS int LANGUAGE c AS '/tmp/library.so', 'f';`), isChanged],
    ['a command of the archiver', () => forged(`ALTER SYSTEM SET archive_command = 'echo ran >> ${ran}';`), isChanged],
    ['a command of psql', () => forged(`\\! echo ran >> ${ran}`), isChanged],
    ['a dump whose end is missing', () => authentic.subarray(0, authentic.length - 3000), noSeal],
    ['a dump in whose seal the end is missing', () => authentic.subarray(0, authentic.length - 20), /its seal is not complete: the end of the file is missing/],
    ['a dump with line ends of Windows', () => Buffer.from(authentic.toString('latin1').replaceAll('\n', '\r\n'), 'latin1'), /its line ends were changed: copy the file again in binary mode/],
    ['a dump in the tar format', tar, noSeal],
    ['SQL', () => Buffer.from(`create table t (line text);\n${program()}\n`), /is no dump in PostgreSQL's custom or tar format\. SQL is imported with `cloch import --dir`/],
    ['SQL with the seal of a dump', () => Buffer.concat([Buffer.from(program()), seal(authentic)]), /is no dump in PostgreSQL's custom or tar format/],
    ['SQL of psql', () => Buffer.from(`\\! echo ran >> ${ran}\n`), /is no dump in PostgreSQL's custom or tar format/],
    ['a compressed dump', () => gzipSync(authentic), /is compressed \(gzip\): decompress it first/],
    ['a dump compressed with zstd', () => Buffer.concat([Buffer.from('28b52ffd', 'hex'), authentic]), /is compressed \(zstd\): decompress it first/],
    ['an empty file', () => Buffer.alloc(0), /is empty/],
  ]
  for (const [name, content, message] of dumps) test(name, () => void refused(file(content()), message))

  test('a folder', () => void refused(root, /is a folder: restore the file that `cloch db dump` has written/))

  test('from standard input', () => {
    const stdin = openSync(file(forged(program())), 'r')
    refused('/dev/stdin', isChanged, { stdin })
    closeSync(stdin)
    const path = file(forged(program()))
    const data = folder()
    const piped = spawnSync('sh', ['-c', `cat "$1" | "$2" db restore /dev/stdin --project "$3" --data "$4"`, 'sh', path, binary, place.project, data], { encoding: 'utf8', timeout: 120_000 })
    assert.equal(piped.status, 1)
    assert.match(piped.stderr, isChanged)
    assert.equal(existsSync(join(data, 'db')), false)
    untouched()
  })

  test('a data folder without keys: no keys are created', () => {
    const data = join(root, 'without keys')
    const text = refused(join(root, 'authentic.dump'), /the data folder .*without keys has no secrets\.toml, whose key verifies the file/, { data })
    assert.match(text, /--trust/)
    assert.equal(existsSync(data), false)
  })

  test('the message explains the risk of --trust', () => {
    const text = refused(file(without(authentic)), noSeal)
    assert.match(text, /A restore executes the file as the database's superuser, so its author can run programs on this machine\. If you trust the author .* --trust/)
  })
})

describe('a dump of this project', { timeout: 300_000 }, () => {
  const rows = async (data) => {
    const server = await start({ ...place, data })
    try {
      return (await createClient(server.url, server.serviceKey, { auth: { persistSession: false } }).from('notes').select()).data
    } finally {
      await server.stop()
    }
  }
  const restored = async (path, options = {}) => {
    const data = options.data ?? folder()
    const { status, text } = run(['db', 'restore', path, ...(options.flags ?? [])], { ...options, data })
    assert.equal(status, 0, text)
    assert.deepEqual(await rows(data), [{ body: 'kept' }])
    assert.deepEqual(readdirSync(data).filter((name) => name.includes('partial')), [])
    untouched()
    return text
  }

  test('is restored, also through a pipe', async () => {
    await restored(join(root, 'authentic.dump'))
    const data = folder()
    const piped = spawnSync('sh', ['-c', `cat "$1" | "$2" db restore /dev/stdin --project "$3" --data "$4"`, 'sh', join(root, 'authentic.dump'), binary, place.project, data], { encoding: 'utf8', timeout: 120_000 })
    assert.equal(piped.status, 0, piped.stderr)
    assert.deepEqual(await rows(data), [{ body: 'kept' }])
  })

  test('is restored after the keys were rotated', async () => {
    const data = folder()
    for (const given of [['keys', 'rotate'], ['keys', 'rotate-jwt-secret', '--yes']]) {
      const { status, text } = run(given, { data })
      assert.equal(status, 0, text)
    }
    await restored(join(root, 'authentic.dump'), { data })
  })

  test('is not restored with other keys that sign backups, but with --trust', async () => {
    const data = folder()
    const secrets = readFileSync(join(data, 'secrets.toml'), 'utf8')
    writeFileSync(join(data, 'secrets.toml'), secrets.replace(/^backup_signing_key = .*$/m, `backup_signing_key = "${'5a'.repeat(32)}"`))
    refused(join(root, 'authentic.dump'), /its seal was made with another key/, { data })
    await restored(join(root, 'authentic.dump'), { data, flags: ['--trust'] })
  })

  test('of an earlier version, or of another machine, is restored with --trust', async () => {
    const text = await restored(file(without(authentic)), { flags: ['--trust'] })
    assert.match(text, /its seal is not verified \(--trust\)/)
    await restored(file(foreign), { flags: ['--trust'] })
  })

  test('can be read by PostgreSQL’s own programs, with its seal', () => {
    const text = execFileSync('pg_restore', ['--file=-', join(root, 'authentic.dump')], { encoding: 'utf8' })
    assert.match(text, /COPY public\.notes \(body\) FROM stdin;\nkept\n/)
  })

  test('is executed as it was verified, also if the file is changed meanwhile', async () => {
    // Replaces the content of the file when the restore begins: the forged dump has the same size.
    const real = readdirSync('/usr/lib/postgresql').sort((one, other) => Number(other) - Number(one)).map((version) => `/usr/lib/postgresql/${version}/bin`)[0]
    const programs = join(root, 'programs')
    mkdirSync(programs)
    const path = file(authentic)
    const evil = file(forged(program()))
    chmodSync(path, 0o666)
    for (const name of readdirSync(real)) {
      if (name !== 'pg_restore') symlinkSync(join(real, name), join(programs, name))
      else writeFileSync(join(programs, name), `#!/bin/sh\ncat ${evil} > ${path}\nexec ${join(real, name)} "$@"\n`, { mode: 0o755 })
    }
    await restored(path, { environment: { CLOCH_POSTGRES_BIN: programs } })
    assert.deepEqual(readFileSync(path), readFileSync(evil), 'the file was changed')
  })

  test('--trust executes a forged one: these tests can detect a program that runs', () => {
    const { status, text } = run(['db', 'restore', file(without(forged(program()))), '--trust'], { data: folder() })
    assert.equal(status, 0, text)
    assert.match(readFileSync(ran, 'utf8'), /ran/)
    writeFileSync(ran, '')
  })
})

test('a database of CLOCH_DB_URL executes no forged dump either', { timeout: 300_000 }, async () => {
  const server = await start(await makeProject({ from: null }))
  try {
    const url = new URL(server.keys.DB_URL)
    const password = /^supabase_admin = "(.*)"$/m.exec(readFileSync(join(server.data, 'secrets.toml'), 'utf8'))[1]
    Object.assign(url, { username: 'supabase_admin', password })
    const environment = { CLOCH_DB_URL: url.href }
    const data = folder()
    refused(file(forged(program())), /it is not what was written/, { data, environment })
    refused(file(without(forged(program()))), /it has no seal/, { data, environment })
    const { status, text } = run(['db', 'restore', join(root, 'authentic.dump'), '--yes'], { data, environment })
    assert.equal(status, 0, text)
    assert.equal(execFileSync('psql', [url.href, '-qAtc', 'select body from public.notes'], { encoding: 'utf8' }), 'kept\n')
    untouched()
  } finally {
    await server.remove()
  }
})
