/** Output and effects of an operator's commands in unusual situations: another port, an occupied port, keys and object stores that do not match. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSocketServer } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { firstOperator } from '../support/dashboard.mjs'
import { binary, freePort, makeProject, removePlace, start } from '../support/program.mjs'
import { until } from '../support/until.mjs'

const places = []
after(() => places.forEach(removePlace))

const project = async (options = {}) => {
  const place = await makeProject({ from: null, ...options })
  places.push(place)
  return place
}

const run = (place, words, environment = {}) =>
  spawnSync(binary, [...words, ...(place ? ['--project', place.project, '--data', place.data] : [])], {
    encoding: 'utf8',
    timeout: 60_000,
    env: { ...process.env, ...environment },
  })

test('a server at a port that a flag names', async (context) => {
  const place = await project({ change: (config) => `${config}\n[auth]\nsite_url = "http://127.0.0.1:54321"\n`.replace(/^port = \d+$/m, 'port = 54321') })
  const port = await freePort()
  const cloch = await start({ ...place, url: `http://127.0.0.1:${port}` }, { flags: ['--port', String(port)] })
  try {
    await context.test('links and the list of operators', async () => {
      assert.match(run(place, ['operators', 'list']).stdout, /There are no operators yet/)
      const owner = await firstOperator({ ...cloch, url: `http://127.0.0.1:${port}` })
      const email = /\S+@\S+/.exec(run(place, ['operators', 'list']).stdout)[0]
      assert.match(run(place, ['operators', 'link', email]).stdout, new RegExp(`^http://127\\.0\\.0\\.1:${port}/`))

      const settings = (await owner.must('GET', '/settings')).groups.flatMap((group) => group.settings)
      const shown = (wanted) => settings.find(({ key }) => key === wanted)
      assert.deepEqual([shown('api.port').value, shown('api.port').source], [port, 'variable or flag'])
      assert.deepEqual([shown('auth.site_url').value, shown('auth.site_url').source], [`http://127.0.0.1:${port}`, 'variable or flag'])
    })
    await context.test('status --url requires the secret key', () => {
      const status = (key) => run(undefined, ['status', '--url', `http://127.0.0.1:${port}`], { CLOCH_SERVICE_ROLE_KEY: key })
      assert.equal(status(cloch.serviceKey).status, 0)
      for (const key of [cloch.anonKey, 'rubbish']) {
        const { status: code, stderr, stdout } = status(key)
        assert.equal(code, 1, stdout)
        assert.match(stderr, /does not know this secret key/)
      }
    })
  } finally {
    await cloch.stop()
  }
})

test('a command starts the database on a free port if another program uses the usual one', async () => {
  const place = await project({ change: (config) => config.replace(/\[db\]\nport = \d+\n/, '') })
  const other = createSocketServer().listen(54322, '127.0.0.1')
  // Another program on this machine may already listen on this port. Then the test uses that program.
  await new Promise((done) => other.once('listening', done).once('error', done))
  try {
    const migrated = run(place, ['db', 'migrate'])
    assert.equal(migrated.status, 0, migrated.stderr)
    assert.ok(existsSync(join(place.data, 'database-port')))
    const listed = run(place, ['operators', 'list'])
    assert.equal(listed.status, 0, listed.stderr)
  } finally {
    other.close()
  }
})

test('projects that start at the same time each find a database port, and print it', async () => {
  const withoutPort = (config) => config.replace(/\[db\]\nport = \d+\n/, '')
  const places = [await project({ change: withoutPort }), await project({ change: withoutPort }), await project({ change: withoutPort })]
  const servers = await Promise.all(places.map((place) => start(place)))
  try {
    const ports = servers.map((server) => new URL(server.keys.DB_URL.replace(/^postgresql:/, 'http:')).port)
    assert.equal(new Set(ports).size, servers.length, String(ports))
    for (const [index, server] of servers.entries()) {
      // Each command connects to the database of its own project.
      const shown = run(places[index], ['gen', 'types', 'typescript'])
      assert.equal(shown.status, 0, shown.stderr)
      if (ports[index] !== '54322') assert.match(server.output(), new RegExp(`port \\d+ is in use, PostgreSQL listens on port ${ports[index]} instead`))
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
})

test('a replaced JWT secret: the start names the lines to remove, and without them keys are signed again', async () => {
  const place = await project()
  let cloch = await start(place)
  const old = cloch.keys
  await cloch.stop()
  const file = join(place.data, 'secrets.toml')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^jwt_secret = .*$/m, 'jwt_secret = "another secret, of 32 characters or more"'))
  cloch = await start(place)
  assert.match(cloch.output(), /ERROR.*the anon key is not valid under the project's JWT secret.*remove the lines anon_key and service_role_key from .*secrets\.toml/)
  await cloch.stop()
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^(anon_key|service_role_key|secret_key|postgres) = .*\n/gm, ''))
  cloch = await start(place)
  try {
    assert.doesNotMatch(cloch.output(), /not valid under/)
    assert.match(cloch.keys.SECRET_KEY, /^sb_secret_/)
    const asked = async (key) => (await fetch(`${cloch.url}/auth/v1/admin/users`, { headers: { apikey: key, authorization: `Bearer ${key}` } })).ok
    assert.deepEqual(await Promise.all([cloch.serviceKey, cloch.keys.SECRET_KEY, old.SERVICE_ROLE_KEY, old.SECRET_KEY].map(asked)), [true, true, false, false])
    assert.equal(run(place, ['gen', 'types']).status, 0)
    assert.equal(run(place, ['doctor']).status, 0)
  } finally {
    await cloch.stop()
  }
})

test('an example secret or a well-known secret stops the start, with its location', async () => {
  const secrets = (place, change) => writeFileSync(join(place.data, 'secrets.toml'), change(readFileSync(join(place.data, 'secrets.toml'), 'utf8')))
  const refusals = [
    ['config.toml', '[auth.email.smtp]\nenabled = true\nhost = "127.0.0.1"\nport = 25\nuser = "club"\npass = "your-smtp-password"\nadmin_email = "club@example.org"\n', /config\.toml.*auth\.email\.smtp\.pass.*is the text of an example/],
    ['config.toml', '[auth.email.smtp]\nenabled = true\nhost = "127.0.0.1"\nport = 25\nuser = "club"\npass = ""\nadmin_email = "club@example.org"\n', /auth\.email\.smtp\.pass.*is empty/],
    ['cloch.toml', '[storage.s3]\nbucket = "b"\naccess_key_id = "AKIAIOSFODNN7EXAMPLE"\nsecret_access_key = "x"\n', /cloch\.toml.*storage\.s3\.access_key_id.*is the text of an example/],
    ['cloch.toml', '[backup]\nto = "../target"\nencrypt_to = "correct horse battery staple"\n', /\[backup\] encrypt_to: the passphrase is one that everybody tries first/],
    ['config.toml', '[auth]\nsecret_key = "sb_secret_1"\n', /auth\.secret_key.*must have at least 16 characters/],
    ['config.toml', '[auth]\njwt_secret = "your-super-secret-jwt-token-with-at-least-32-characters-long"\n', /jwt_secret.*is the text of an example/],
  ]
  for (const [name, text, words] of refusals) {
    const place = await project(name === 'config.toml' ? { change: (config) => `${config}\n${text}` } : { files: { [name]: text } })
    const { status, stdout, stderr } = run(place, ['start'])
    assert.equal(status, 1, `${text}${stdout}`)
    assert.match(stdout + stderr, words)
    const value = /(?:pass|key|secret|encrypt_to) = "(.+)"\n/.exec(text)?.[1]
    if (value?.length > 5) assert.ok(!(stdout + stderr).includes(value), 'the secret is printed')
  }
  const place = await project()
  await (await start(place)).stop()
  secrets(place, (text) => text.replace(/^secret_key = .*$/m, 'secret_key = "sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz"'))
  const open = run(place, ['start', '--host', '0.0.0.0'])
  assert.equal(open.status, 1)
  assert.match(open.stdout + open.stderr, /secret_key: is the one that the Supabase CLI gives every project/)
  await (await start(place)).stop()
})

test('variables of [ai] that are not set, and a changed migration that was already applied, are warnings', async () => {
  const files = { 'migrations/1_notes.sql': '-- Notes\ncreate table public.notes (id int);\n', 'cloch.toml': '[ai]\nbase_url = "env(NO_SUCH_URL)"\napi_key = "env(NO_SUCH_KEY)"\n' }
  const place = await project({ fresh: true, files })
  const first = await start(place)
  await first.stop()
  assert.match(first.output(), /WARN.*cloch\.toml, line 3: \[ai\] takes values from variables that are not set \(.*NO_SUCH_URL/)
  assert.doesNotMatch(first.output(), /has changed since it was applied/)
  writeFileSync(join(place.project, 'migrations/1_notes.sql'), '-- All notes.\n\ncreate table  public.notes (id int)')
  const same = await start(place)
  await same.stop()
  assert.doesNotMatch(same.output(), /has changed since it was applied/)
  writeFileSync(join(place.project, 'migrations/1_notes.sql'), 'create table public.notes (id bigint);')
  const changed = await start(place)
  await changed.stop()
  assert.match(changed.output(), /WARN.*migrations\/1_notes\.sql has changed since it was applied/)
})

test('an object store whose bucket is missing or that refuses the keys', async () => {
  for (const [status, code] of [[404, 'NoSuchBucket'], [403, 'InvalidAccessKeyId']]) {
    const store = createServer((_, answer) => {
      answer.writeHead(status, { 'content-type': 'application/xml' })
      answer.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`)
    }).listen(0, '127.0.0.1')
    await once(store, 'listening')
    const s3 = `[storage.s3]\nendpoint = "http://127.0.0.1:${store.address().port}"\nregion = "local"\nbucket = "files"\naccess_key_id = "a"\nsecret_access_key = "b"\npath_style = true\n`
    const place = await project({ change: (config) => `${config}\n[storage.buckets.files]\n`, files: { 'cloch.toml': s3 } })
    const cloch = await start(place)
    try {
      await until(() => new RegExp(`ERROR.*object store: .*${code}`, 's').test(cloch.output()), cloch.output)
      await until(() => new RegExp(`storage: sweep \\(periodic cleanup\\) failed.*${code}`, 's').test(cloch.output()), cloch.output)
      const stored = await fetch(`${cloch.url}/storage/v1/object/files/a.txt`, {
        method: 'POST',
        headers: { authorization: `Bearer ${cloch.serviceKey}`, 'content-type': 'text/plain' },
        body: 'a',
      })
      assert.equal(stored.status, 503, await stored.text())
    } finally {
      await cloch.stop()
      store.closeAllConnections()
      store.close()
    }
  }
})
