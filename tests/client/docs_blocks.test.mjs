/**
 * Executes or checks every code block of the pages. Shell lines, SQL, functions and marked client code run in a fresh folder with a separate server.
 * Other client code is type-checked, the program reads the TOML, and JSON and YAML are parsed. A list contains the blocks that cannot run, with the
 * reasons. At the end, the test prints the counts.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'

import { allBlocks, indentedCode } from '../docs/blocks.mjs'
import { staleFiles } from '../docs/example.mjs'
import * as listed from '../docs/listed.mjs'
import { pages, root } from '../docs/pages.mjs'
import { Place } from '../docs/place.mjs'
import { problems } from '../docs/toml.mjs'
import { runClient, typeProblems } from '../docs/types.mjs'
import { deno } from '../support/deno.mjs'

const counts = { run: 0, checked: 0, listed: 0 }
const reasons = new Map()
const used = new Set()
/** Pages whose commands start in an empty folder. The commands of all other pages start in the tutorial's project, with a running server. */
const EMPTY = ['docs/start.md']

const list = (block, why, entry) => {
  counts.listed += 1
  if (entry) used.add(entry)
  reasons.set(why, (reasons.get(why) ?? 0) + 1)
}

/** Returns the entry for a line of a shell block in the list of lines that cannot run. */
const listedLine = (line) => {
  const entry = listed.lines.find(([pattern]) => pattern.test(line))
  if (entry) used.add(entry)
  return entry
}

const commands = ({ text }) => text.replaceAll(/\\\n\s*/g, '').split('\n').filter((line) => line.trim() && !line.startsWith('#'))
const isFunction = ({ file }) => file?.startsWith('supabase/functions/') ?? false
const isClient = ({ language, file }) => ['js', 'ts'].includes(language) && !file

/** Returns how the test treats a block: `run` in the page's folder, `check`, or `list`. */
function treatment(block) {
  const entry = listed.blocks.find(({ page, contains }) => page === block.page && block.text.includes(contains))
  if (entry) return { list: entry.why, entry }
  if (listed.foreign[block.language]) return { list: listed.foreign[block.language] }
  if (block.language === 'sh') {
    const all = commands(block)
    const reason = all.map(listedLine)
    return reason.every(Boolean) ? { list: reason[0][1] } : { run: true }
  }
  if (block.language === 'sql' || block.isRun || block.file) return { run: true, alsoCheck: block.language === 'toml' }
  if (['toml', 'json', 'yaml'].includes(block.language) || isClient(block)) return { check: true }
  return undefined
}

const all = allBlocks()
const treated = all.map((block) => ({ block, ...treatment(block) }))

test('every block is executed, checked or listed', () => {
  const none = treated.filter(({ run, check, list: why }) => !run && !check && !why).map(({ block }) => `${block.page}:${block.line}: ${block.language || 'a block without a language'}`)
  assert.deepEqual(none, [])
  assert.deepEqual(pages.filter((page) => indentedCode(page).length), [], 'code by indentation: use a fence')
  for (const { block, list: why, entry } of treated) if (why) list(block, why, entry)
})

test('examples/notes contains what docs/start.md builds', () => {
  assert.deepEqual(staleFiles({ update: Boolean(process.env.CLOCH_UPDATE) }), [], 'stale: run this test with CLOCH_UPDATE=1')
})

test('code for clients matches the types of supabase-js', () => {
  const blocks = all.filter((block) => isClient(block) && !listed.blocks.some(({ page, contains }) => page === block.page && block.text.includes(contains)))
  assert.deepEqual(typeProblems(blocks), [])
  counts.checked += blocks.filter(({ isRun }) => !isRun).length
})

test('the program accepts every TOML block, and JSON and YAML are valid', () => {
  const require = createRequire(join(root, 'web/package.json'))
  const wrong = []
  for (const { block, check, alsoCheck } of treated) {
    if (!check && !alsoCheck) continue
    if (block.language === 'toml') {
      const found = problems(block)
      if (found) wrong.push(`${block.page}:${block.line}: ${found}`)
    } else if (block.language === 'json') JSON.parse(block.body)
    else if (block.language === 'yaml') require('js-yaml').load(block.text)
    else continue
    if (check) counts.checked += 1
  }
  assert.deepEqual(wrong, [])
})

for (const page of pages) {
  const blocks = treated.filter(({ block, run }) => run && block.page === page).map(({ block }) => block)
  if (!blocks.length) continue
  if (process.env.CLOCH_PAGE && process.env.CLOCH_PAGE !== page) continue
  test(page, async (context) => {
    const place = await Place.make({ hasProject: !EMPTY.includes(page) })
    context.after(() => place.remove())
    const functions = new Set()
    for (const block of blocks) {
      const done = await context.test(`${page}:${block.line}`, async () => {
        await execute(place, block)
        counts.run += 1
      })
      void done
      if (isFunction(block)) functions.add(/functions\/([\w-]+)\//.exec(block.file)[1])
    }
    const text = all.filter((block) => block.page === page && !isFunction(block)).map((block) => block.text).join('\n')
    const never = [...functions].filter((name) => !name.startsWith('_') && !new RegExp(`functions/v1/${name}|invoke(<.*>)?\\('${name}'`).test(text))
    assert.deepEqual(never, [], 'functions that no block of the page calls')
  })
}

async function execute(place, block) {
  if (block.language === 'sh') return place.runShell(block.text, listedLine)
  if (block.file) {
    place.write(block.file, block.body)
    if (isFunction(block) && /\.ts$/.test(block.file)) typeCheckFunction(place, block.file)
    return
  }
  if (block.language === 'sql') return place.sql(block.text)
  if (block.isRun) {
    const { status, stdout, stderr } = runClient(block, { folder: join(place.folder, 'client'), environment: place.environment })
    assert.equal(status, 0, `${stdout}${stderr}`)
    return
  }
  throw new Error(`${block.page}:${block.line}: what is to be executed?`)
}

/** Checks the types of a function with Deno and the packages that the program provides. Fails if there are errors. */
function typeCheckFunction(place, file) {
  const { status, stderr } = spawnSync(deno, ['check', '--quiet', file], { cwd: place.work, env: { ...place.environment, NO_COLOR: '1' }, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
}

test('the list of blocks that are not executed has no unused entry', () => {
  const idle = [...listed.lines, ...listed.blocks].filter((entry) => !used.has(entry)).map((entry) => entry.contains ?? String(entry[0]))
  assert.deepEqual(idle, [])
  console.log(`# docs: ${all.length} blocks: ${counts.run} run, ${counts.checked} checked, ${counts.listed} listed`)
  for (const [why, number] of reasons) console.log(`#   ${number} listed: ${why}`)
  if (!process.env.CLOCH_PAGE) assert.equal(counts.run + counts.checked + counts.listed, all.length)
})
