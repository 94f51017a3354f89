/**
 * The database is always in the data folder. Earlier versions of Cloch could create a link in place of the database's folder. Such links still work,
 * the log names them, and two servers can never use the same database through them.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { binary, freePort, healthy, makeProject, removePlace, start } from '../support/program.mjs'

const places = []
after(() => places.forEach(removePlace))

const project = async (options) => {
  const place = await makeProject({ from: null, ...options })
  places.push(place)
  return place
}

const run = (place, words) =>
  spawnSync(binary, [...words, '--project', place.project, '--data', place.data], { encoding: 'utf8', timeout: 60_000, env: process.env })

/** Expects that a start is refused. Returns its output. */
const refused = (place, flags = []) => {
  const { status, stdout, stderr } = run(place, ['start', ...flags])
  assert.equal(status, 1, stdout + stderr)
  return stdout + stderr
}

/** Moves `db` of a stopped project's data folder to a folder outside, and replaces it by a link. */
const withLink = (place) => {
  const target = join(place.folder, 'elsewhere')
  renameSync(join(place.data, 'db'), target)
  symlinkSync(target, join(place.data, 'db'))
  return target
}

const copyOf = (place) => {
  const data = join(place.folder, 'copy')
  execFileSync('cp', ['-a', place.data, data])
  return { ...place, data }
}

const postmaster = (folder) => readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]

test('below a folder that the database cannot enter, a start as root suggests two solutions and creates nothing', async (context) => {
  if (process.getuid() !== 0) return context.skip('only root runs PostgreSQL in another account')
  const place = await project({ fresh: true })
  const closed = join(place.folder, 'closed')
  mkdirSync(closed, { mode: 0o700 })
  place.data = join(closed, 'data')
  const said = refused(place)
  assert.match(said, new RegExp(`--data /var/lib/cloch/NAME.*chmod o\\+x ${closed}`))
  assert.ok(!existsSync(place.data))
  assert.match(run(place, ['doctor']).stdout, /PROBLEM +database +.*chmod o\+x/)
  chmodSync(closed, 0o711)
  const cloch = await start(place)
  await cloch.stop()
  assert.ok(existsSync(join(place.data, 'db/PG_VERSION')))
})

test('a link of an earlier version: the server starts and prints the path of the database', async (context) => {
  const place = await project()
  await (await start(place)).stop()
  const target = withLink(place)
  const cloch = await start(place)
  try {
    assert.match(cloch.output(), new RegExp(`WARN.*data/db is a link, the data folder does not contain the database, which is in ${target}`))
    assert.match(run(place, ['status']).stdout, new RegExp(`Data folder +${place.data}, without the database: db is a link to ${target}`))
    assert.match(run(place, ['doctor']).stdout, new RegExp(`warning +database +.*data/db is a link: the database is in ${target}`))

    await context.test('a copy of the data folder is refused, and the running server keeps its database', async () => {
      const [copy, before] = [copyOf(place), postmaster(target)]
      const port = ['--port', String(await freePort())]
      // The server of an earlier version does not write the file that names the data folder to which the database belongs.
      const owner = join(target, 'cloch-data-folder')
      renameSync(owner, `${owner}.away`)
      assert.match(refused(copy, port), new RegExp(`another cloch uses the database ${target}, to which .*copy/db leads`))
      assert.equal(run(copy, ['db', 'migrate']).status, 1)
      assert.equal(run(copy, ['db', 'reset', '--yes']).status, 1)
      renameSync(`${owner}.away`, owner)
      assert.match(refused(copy, port), /copy\/db is a link/)
      assert.equal(postmaster(target), before)
      assert.ok(await healthy(cloch.url))
      await cloch.stop()
      assert.match(refused(copy, port), new RegExp(`copy/db is a link to ${target}, the database of the data folder ${place.data}`))
      assert.equal(run(copy, ['db', 'reset', '--yes']).status, 1)
      assert.ok(existsSync(join(target, 'PG_VERSION')))
    })
  } finally {
    await cloch.stop()
  }

  await context.test('a data folder that was moved keeps its database', async () => {
    rmSync(join(place.folder, 'copy'), { recursive: true })
    const moved = { ...place, data: join(place.folder, 'moved') }
    renameSync(place.data, moved.data)
    const server = await start(moved)
    await server.stop()
    renameSync(moved.data, place.data)
  })

  await context.test('a reset keeps the link and creates a new database behind it', async () => {
    const { status, stderr } = run(place, ['db', 'reset', '--yes'])
    assert.equal(status, 0, stderr)
    assert.ok(existsSync(join(target, 'PG_VERSION')))
  })

  await context.test('a broken link is refused', async () => {
    renameSync(target, `${target}.away`)
    for (const words of [['start'], ['db', 'migrate']]) {
      const { status, stdout, stderr } = run(place, words)
      assert.equal(status, 1)
      assert.match(stdout + stderr, new RegExp(`the database is missing: .*data/db is a link to ${target}, which does not exist`))
    }
    assert.match(run(place, ['doctor']).stdout, /PROBLEM +database +the database is missing/)
    assert.ok(!existsSync(target))
    renameSync(`${target}.away`, target)
    await (await start(place)).stop()
  })
})

test('a copy of a data folder with its database runs beside the original', async () => {
  const place = await project({ change: (config) => config.replace(/\[db\]\nport = \d+\n/, '') })
  await (await start(place)).stop()
  const copy = copyOf(place)
  const cloch = await start(place)
  try {
    const before = postmaster(join(place.data, 'db'))
    // Copies postmaster.pid too, as if the data folder had been copied while the server was running.
    execFileSync('cp', ['-a', join(place.data, 'db/postmaster.pid'), join(copy.data, 'db')])
    const port = await freePort()
    const second = await start({ ...copy, url: `http://127.0.0.1:${port}` }, { flags: ['--port', String(port)] })
    try {
      assert.equal(postmaster(join(place.data, 'db')), before)
      assert.ok(await healthy(cloch.url))
      assert.notEqual(second.keys.DB_URL, cloch.keys.DB_URL)
    } finally {
      await second.stop()
    }
  } finally {
    await cloch.stop()
  }
})
