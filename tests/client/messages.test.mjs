/**
 * Tests docs/operations/messages.md: runs wrong settings and operator tasks with the real program. With `CLOCH_WRITE_DOCS=1`, the test writes the
 * page; otherwise the page must match the output. Also tries a wrong value for each key of cloch.toml; the message must name the key.
 */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { allMisspelt, keys, path, withWrongType } from '../messages/keys.mjs'
import { page, write, written } from '../messages/page.mjs'
import { run, twoAtATime } from '../messages/program.mjs'
import { shown, wrongSettings } from '../messages/settings.mjs'
import { fullDisk, stopped, whileItStops } from '../messages/stops.mjs'
import { beside, Tasks } from '../messages/tasks.mjs'
import { normalised } from '../messages/words.mjs'
import { makeProject, removePlace } from '../support/program.mjs'

/** The tasks in the order in which the page lists them. */
const ORDER = [
  'back up', 'check a backup', 'drill', 'restore everything', 'restore one table', 'restore one row', 'move to another folder', 'copy a running project: a dump', 'start a copy of the folder of a running server',
  'rotate a secret key: a new one beside the old one', 'revoke a key', 'rotate the signing key of user tokens', 'replace the JWT secret', 'an owner lost the password',
  'the passphrase of the backup is lost', 'upgrade Cloch: look after it', 'upgrade PostgreSQL while the server runs', 'downgrade: the state before an upgrade', 'the database is of another major version',
  'the disk is full', 'the certificate has expired', 'the certificate is for another name', 'the port is in use', 'a second start on the same data', 'PostgreSQL was killed',
  'the server was killed (kill -9)', 'stop while requests run', 'a read replica is lost', 'a node is lost', 'export', 'import: a try', 'remove a user with all data',
]
/** Patterns that no message may contain: names of Rust types and structures, and an error of the operating system without a path. */
const UNFIT = /invalid (?:type|value): |expected (?:[iu](?:8|16|32|64|128)|f64|struct|a map|a sequence)\b|Some\(|ExitStatus|^cloch: No such file|relative URL without a base: "/m

const places = []
const project = async () => {
  const place = await makeProject({ from: null, files: { 'functions/hello/index.ts': 'Deno.serve(() => new Response())\n' } })
  places.push(place)
  return { ...place, configToml: readFileSync(join(place.project, 'config.toml'), 'utf8') }
}
after(() => places.forEach(removePlace))

/** Runs the program with one wrong setting. Returns the output and the exit code. */
async function withWrong(place, wrong, number) {
  const data = join(place.folder, `data-${number}`)
  const write_ = (name, text) => writeFileSync(join(place.project, name), text)
  write_('config.toml', `${place.configToml}${wrong.config ?? ''}\n`)
  write_('cloch.toml', `${wrong.cloch ?? ''}\n`)
  write_('.env', wrong.env ?? '')
  const of = wrong.flags?.includes('--project') ? [] : ['--project', place.project, '--data', data]
  if (wrong.secrets) {
    assert.equal((await run(['keys', 'make', ...of])).status, 0)
    const file = join(data, 'secrets.toml')
    writeFileSync(file, readFileSync(file, 'utf8').replace(...wrong.secrets))
  }
  if (wrong.missing) {
    mkdirSync(join(data, 'db'), { recursive: true })
    writeFileSync(join(data, 'db/PG_VERSION'), '15\n')
  }
  const environment = { CLOCH_SITE_URL: '', ...wrong.variables }
  if (!wrong.warns) {
    const { status, output } = await run(['start', ...of, ...(wrong.flags ?? [])], { environment })
    return { status, output: output.replace(/^.* WARN .*\n/gm, '').replace(/^(?:cloch|error): /, '').split('\n')[0] }
  }
  const { status, output } = await run(['doctor', '--json', ...of], { environment })
  const warnings = JSON.parse(output).filter(({ level }) => level === 'warning').map(({ seen }) => seen)
  return { status, output: warnings.find((text) => wrong.words.every((words) => words.test(text))) ?? warnings.join('\n') }
}

let settings
test('wrong settings', async () => {
  const two = [await project(), await project()]
  const runs = wrongSettings.map((wrong, index) => ({ wrong, index }))
  settings = await twoAtATime(runs, async ({ wrong, index }, worker) => {
    const place = two[worker]
    const { status, output } = await withWrong(place, wrong, index)
    const { place: where, setting } = shown(wrong)
    const message = `${setting}\n${output}`
    assert.equal(status === 0, Boolean(wrong.warns), message)
    for (const words of wrong.words) assert.match(output, words, setting)
    assert.doesNotMatch(output, UNFIT, setting)
    return { place: where, setting, status, output: normalised(output, [[join(place.folder, `data-${index}`), 'DATA'], [place.project, 'PROJECT'], [place.folder, 'FOLDER']]) }
  })
})

test('a mistake in any key of cloch.toml is reported with the file and the key', async (context) => {
  const all = keys()
  assert.ok(all.length > 100)
  const two = [await project(), await project()]
  const problem = async (place, text) => {
    writeFileSync(join(place.project, 'config.toml'), `${place.configToml}\n[storage.buckets.files]\n`)
    writeFileSync(join(place.project, 'cloch.toml'), text)
    const { output } = await run(['doctor', '--json', '--project', place.project, '--data', place.data])
    const found = JSON.parse(output).filter(({ level, subject }) => level === 'problem' && subject === 'configuration')
    return found.map(({ seen }) => seen).join('\n')
  }
  await context.test('a value of another type', async () => {
    const silent = await twoAtATime(all, async (key, worker) => {
      const text = await problem(two[worker], withWrongType(key))
      const names = text.includes('cloch.toml') && text.replaceAll(/\[\d+\]/g, '').includes(path(key))
      return names && !UNFIT.test(text) ? [] : [`${path(key)}: ${text}`]
    })
    assert.deepEqual(silent.flat(), [])
  })
  await context.test('a misspelt name', async () => {
    const text = await problem(two[0], allMisspelt(all))
    const silent = all.filter(({ section, key }) => section !== 'web.settings' && !new RegExp(`cloch\\.toml, line \\d+: the key ${path({ section, key })}x is unknown`).test(text))
    assert.deepEqual(silent.map(path), [])
  })
})

let rows
let hasDisk
test('tasks of an operator', { timeout: 240_000 }, async () => {
  const tasks = new Tasks()
  try {
    await tasks.begin()
    await beside(tasks)
    await whileItStops(tasks)
    await stopped(tasks)
    hasDisk = await fullDisk(tasks)
  } finally {
    await tasks.end()
  }
  const expected = ORDER.filter((task) => hasDisk || task !== 'the disk is full')
  assert.deepEqual(tasks.rows.map(({ task }) => task).sort(), [...expected].sort())
  for (const { task, output } of tasks.rows) assert.doesNotMatch(output, UNFIT, task)
  rows = expected.map((name) => tasks.rows.find(({ task }) => task === name))
})

test('docs/operations/messages.md contains the messages', (context) => {
  if (!settings || !rows) return context.skip('a test above has failed')
  const made = page(settings, rows)
  if (process.env.CLOCH_WRITE_DOCS) write(made)
  // If there is no small disk, the test does not compare the row about a full disk.
  const compared = (text) => (hasDisk ? text : text.replace(/^\| \[the disk is full\].*\n/m, ''))
  assert.equal(compared(written()), compared(made), 'stale: run this suite with CLOCH_WRITE_DOCS=1')
})
