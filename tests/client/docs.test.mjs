/**
 * Checks that the user documentation is correct: links have targets, commands and options exist, and the reference of cloch.toml matches the program.
 * docs_blocks.test.mjs executes the code blocks.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { reference } from '../docs/configuration.mjs'
import { blocks, brokenLinks, mentions, pages, root } from '../docs/pages.mjs'
import { cells, fileOf, hasTest, namesTests, references, statements } from '../docs/security_statements.mjs'
import { binary } from '../support/program.mjs'

test('docs/configuration.md equals the text that the types of cloch.toml generate', () => {
  const file = join(root, 'docs/configuration.md')
  if (process.env.CLOCH_UPDATE) writeFileSync(file, reference())
  assert.equal(readFileSync(file, 'utf8'), reference(), 'stale: run this test with CLOCH_UPDATE=1')
})

test('every statement of docs/security.md has its tests, or a reason why there is none, and the tests exist', () => {
  const wrong = []
  const prove = (what, file, titles) => {
    const found = fileOf(file)
    if (!found) wrong.push(`${what}: no file ${file}`)
    else wrong.push(...titles.filter((title) => !hasTest(found, title)).map((title) => `${what}: ${found} has no test "${title}"`))
  }
  const all = statements(readFileSync(join(root, 'docs/security.md'), 'utf8'))
  const entries = new Map(JSON.parse(readFileSync(join(root, 'tests/docs/security_statements.json'), 'utf8')).map((entry) => [entry.digest, entry]))
  for (const statement of all) {
    const what = `"${statement.text.slice(0, 70)}"`
    if (namesTests(statement)) {
      const named = references(cells(statement.text).at(-1))
      if (named.length === 0) wrong.push(`${what}: names no test`)
      for (const { file, titles } of named) prove(what, file, titles)
      continue
    }
    const entry = entries.get(statement.digest)
    entries.delete(statement.digest)
    if (!entry) wrong.push(`${what} is new or changed: verify it, and write it into tests/docs/security_statements.json with the digest ${statement.digest}`)
    else if (!entry.reason === !entry.tests?.length) wrong.push(`${what}: tests, or a reason`)
    for (const test of entry?.tests ?? []) prove(what, test.slice(0, test.indexOf(': ')), [test.slice(test.indexOf(': ') + 2)])
    for (const part of entry?.source ?? []) {
      const [file, text] = [part.slice(0, part.indexOf(': ')), part.slice(part.indexOf(': ') + 2)]
      if (!readFileSync(join(root, file), 'utf8').includes(text)) wrong.push(`${what}: ${file} does not contain ${text}`)
    }
  }
  wrong.push(...[...entries.values()].map(({ statement }) => `"${statement}" is not in docs/security.md`))
  assert.deepEqual(wrong, [])
  assert.ok(all.length > 200)
})

test('no link is broken', () => {
  const broken = pages.flatMap((page) => brokenLinks(page).map((target) => `${page}: ${target}`))
  assert.deepEqual(broken, [])
})

test('the program has every command and option that the pages mention', () => {
  const helps = new Map()
  /** Returns the help text of a subcommand, or `undefined` if the subcommand does not exist. */
  const help = (words) => {
    const key = words.join(' ')
    if (!helps.has(key)) {
      const { status, stdout } = spawnSync(binary, [...words, '--help'], { encoding: 'utf8' })
      helps.set(key, status === 0 ? stdout : undefined)
    }
    return helps.get(key)
  }
  const lines = blocks().flatMap(({ page, lines }) => lines.filter((line) => line.startsWith('cloch ')).map((line) => ({ page, command: line.replace(/\s+#.*/, '') })))
  const wrong = [...mentions(), ...lines].filter(({ command }) => {
    const words = command.replaceAll(/[[\]]/g, '').split(/\s+/).slice(1)
    let path = []
    while (words.length && /^[a-z-]+$/.test(words[0]) && !words[0].startsWith('-') && /^Commands:/m.test(help(path))) {
      path = [...path, words.shift()]
      if (help(path) === undefined) return true
    }
    const options = words.filter((word) => /^--?[a-z]/.test(word))
    return options.some((option) => option !== '--help' && !new RegExp(`(^|[ ,])${option}\\b`, 'm').test(help(path)))
  })
  assert.deepEqual(wrong, [])
  assert.ok(helps.size > 15)
})
