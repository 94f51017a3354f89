/** How the runner handles tests that fail once, twice or always, and which suites run for a change. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { execFileSync } from 'node:child_process'

import { appearance, concern, parts } from './parts.mjs'
import { root } from './suites.mjs'

const folder = mkdtempSync(join(tmpdir(), 'cloch-runner-'))
after(() => rmSync(folder, { recursive: true }))

/** The output of the last call of `outcome`. */
let output = ''

/** Runs files as the runner does. This needs a separate process, because Node's test runner cannot run inside itself. */
function outcome(files) {
  const paths = Object.entries(files).map(([name, text]) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  })
  const script = `
    import { clientTests } from ${JSON.stringify(join(import.meta.dirname, 'client.mjs'))}
    import { Results } from ${JSON.stringify(join(import.meta.dirname, 'results.mjs'))}
    const results = new Results()
    const suites = ${JSON.stringify(paths.map((file, index) => ({ file, waits: index % 2 === 1 })))}
    await (await clientTests(results, suites, { concurrency: 2 }))()
    results.print()
    const names = (tests) => tests.map(({ name }) => name)
    console.log(JSON.stringify({ passed: results.passed, flaky: names(results.flaky), failed: names(results.failed), green: results.isGreen }))`
  writeFileSync(join(folder, 'run.mjs'), script)
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env
  output = execFileSync(process.execPath, [join(folder, 'run.mjs')], { encoding: 'utf8', env: environment })
  return JSON.parse(output.trim().split('\n').at(-1))
}

const failing = (name, times) => `${failsAtFirst(name, times)}
test(${JSON.stringify(name)}, failsAtFirst)
`

/**
 * Returns the source of the function `failsAtFirst` for a test file. This function throws in its first calls, also if they are in different
 * processes.
 */
const failsAtFirst = (name, times) => `
import { existsSync, writeFileSync } from 'node:fs'
import { before, test } from 'node:test'
const marks = Array.from({ length: ${times} }, (_, index) => ${JSON.stringify(join(folder, name))} + index)
function failsAtFirst() {
  const mark = marks.find((one) => !existsSync(one))
  if (mark === undefined) return
  writeFileSync(mark, '')
  throw new Error('not yet\\nsecond line')
}
`

/** Returns a test file with six tests. Its hook `before` fails the first times. */
const failingHook = (name, times) => `${failsAtFirst(name, times)}
before(failsAtFirst)
for (const number of [1, 2, 3, 4, 5, 6]) test('test ' + number, () => undefined)
`

test('a test that fails once is flaky, and the run passes', () => {
  const found = outcome({ 'once.test.mjs': failing('once', 1), 'good.test.mjs': failing('good', 0) })
  assert.deepEqual(found, { passed: 1, flaky: ['once'], failed: [], green: true })
})

test('a test that fails twice has failed', () => {
  const found = outcome({ 'twice.test.mjs': failing('twice', 2) })
  assert.deepEqual(found, { passed: 0, flaky: [], failed: ['twice'], green: false })
})

test('more than five flaky tests fail the run', () => {
  const files = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`many${index}.test.mjs`, failing(`many${index}`, 1)]))
  const found = outcome(files)
  assert.deepEqual([found.flaky.length, found.failed, found.green], [6, [], false])
})

test('all tests of a file that fail because of its hook are one failure, with its reason', () => {
  const once = outcome({ 'hook.test.mjs': failingHook('hook', 1) })
  assert.deepEqual(once, { passed: 0, flaky: ['the file'], failed: [], green: true })
  assert.match(output, /^flaky \(failed, then passed alone\): .*hook\.test\.mjs: the file: not yet$/m)
  const twice = outcome({ 'hook_twice.test.mjs': failingHook('hook_twice', 2) })
  assert.deepEqual(twice, { passed: 0, flaky: [], failed: ['the file'], green: false })
})

test('a file that ends early, and a file that cannot be loaded, have failed', () => {
  const found = outcome({ 'ends.test.mjs': 'process.exit(3)', 'broken.test.mjs': 'import "./nothing.mjs"' })
  assert.deepEqual([found.failed, found.green], [['the file', 'the file'], false])
})

test('a change runs the suites of its parts and those of no part; any other change runs all', () => {
  const suites = ['client/auth.test.mjs', 'client/backup.test.mjs', 'client/tls.test.mjs', 'browser/visitor/pages.spec.ts', 'oracles/schema_changes.test.mjs']
  const running = (changed) => suites.filter(concern(changed).runs)
  assert.deepEqual(running(undefined), suites, 'without a known base')
  assert.deepEqual(running(['Cargo.lock']), suites)
  assert.deepEqual(running(['gateway/auth/src/lib.rs', 'sql/src/lib.rs']), suites)
  assert.deepEqual(running(['tests/support/ports.mjs']), suites)
  assert.deepEqual(running(['gateway/auth/src/lib.rs']), ['client/auth.test.mjs', 'client/tls.test.mjs'])
  assert.deepEqual(running(['web/club/src/main.tsx', 'backup/src/lib.rs']), ['client/backup.test.mjs', 'client/tls.test.mjs', 'browser/visitor/pages.spec.ts'])
  assert.deepEqual(running(['supabase-config/seed.sql']), ['client/tls.test.mjs', 'browser/visitor/pages.spec.ts'])
  assert.deepEqual(running(['tests/browser/support/pages.ts']), ['client/tls.test.mjs', 'browser/visitor/pages.spec.ts'])
  assert.deepEqual(running(['tests/oracles/random.mjs']), ['client/tls.test.mjs', 'oracles/schema_changes.test.mjs'])
  assert.deepEqual(running(['tests/cluster/pooler.mjs', 'bench/rest.mjs']), ['client/tls.test.mjs'])
  assert.deepEqual(running(['tests/client/auth.test.mjs']), ['client/auth.test.mjs', 'client/tls.test.mjs'], 'a suite that changed')
  assert.deepEqual(concern(['gateway/auth/src/lib.rs', 'docs/cli.md']).crates, ['cloch-auth', 'cloch'])
  assert.equal(concern(['gateway/auth/src/lib.rs']).everything, false)
  assert.deepEqual(concern(['tests/clients/python/rows.py']).crates, [])
})

test('a change of the server alone does not run the suites of the pages’ appearance', () => {
  const runs = (changed) => concern(changed).runs('browser/visitor/zoom.spec.ts')
  assert.equal(runs(undefined), true, 'without a known base')
  assert.equal(runs(['sql/src/lib.rs']), false)
  assert.equal(runs(['sql/src/lib.rs', 'web/ui/lib/cn.ts']), true)
  assert.equal(runs(['supabase-config/seed.sql']), true)
  assert.equal(runs(['web/dashboard/src/main.tsx']), false, 'another part')
  assert.equal(runs(['tests/browser/visitor/zoom.spec.ts']), true, 'the suite itself')
})

test('each part has paths, a crate and suites that exist', () => {
  const cargo = (folder) => readFileSync(join(root, folder, 'Cargo.toml'), 'utf8')
  const crates = [...cargo('.').match(/^members = \[(.*)\]$/m)[1].matchAll(/"([^"]+)"/g)].map(([, folder]) => /^name = "(.*)"$/m.exec(cargo(folder))[1])
  const files = ['client', 'oracles', 'browser'].flatMap((folder) => readdirSync(join(root, 'tests', folder), { recursive: true }).map((name) => `${folder}/${name}`))
  for (const { paths, crate, suites } of [...parts, appearance]) {
    for (const path of paths) assert.ok(existsSync(join(root, path)), path)
    if (crate !== undefined) assert.ok(crates.includes(crate), crate)
    for (const suite of suites) assert.ok(files.some((file) => file.startsWith(suite)), suite)
  }
})
