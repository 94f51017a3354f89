/**
 * Common tools that use the S3 protocol. Each tool performs the same operations on Cloch and on moto, and the outcomes are compared.
 * CLOCH_TEST_S3_FILES: number of files that the tools synchronise with Cloch. CLOCH_WRITE_DOCS=1 writes docs/s3-tools.md.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { commandLine } from '../s3-tools/command_line.mjs'
import { boto3, javascript } from '../s3-tools/libraries.mjs'
import { restic } from '../s3-tools/restic.mjs'
import { expected, outcomesOf, writeTable } from '../s3-tools/table.mjs'
import { makeFiles } from '../support/s3_files.mjs'
import { startMoto, startProxy } from '../support/s3_servers.mjs'
import { startProject } from '../support/program.mjs'

const python = process.env.CLOCH_TEST_PYTHON
const filesOfCloch = Number(process.env.CLOCH_TEST_S3_FILES ?? 300)
/** The number of files for moto. It is smaller because moto handles only one request at a time, and the test does not check moto. */
const filesOfMoto = 40

/** Returns the version of a tool, or `undefined` if the tool is not installed. */
const versionOf = (tool) => {
  if (typeof tool.version === 'function') return tool.version()
  if (!tool.program) return undefined
  try {
    const said = execFileSync(tool.program, tool.version, { stdio: ['ignore', 'pipe', 'pipe'] }).toString()
    return /\d+(\.\d+)+/.exec(said)?.[0] ?? said.trim()
  } catch {
    return undefined
  }
}

let cloch, proxy, moto
const folder = mkdtempSync(join(tmpdir(), 'cloch-s3-tools-'))
before(async () => {
  cloch = await startProject({ from: null })
  proxy = await startProxy(cloch)
  if (python) moto = await startMoto(python)
  for (const [name, count] of [['cloch', filesOfCloch], ['moto', filesOfMoto]]) makeFiles(join(folder, name), count)
  mkdirSync(join(folder, 'home'))
})
after(async () => {
  moto?.stop()
  await proxy?.stop()
  await cloch?.remove()
  rmSync(folder, { recursive: true })
})

const servers = () => {
  const { STORAGE_S3_URL, S3_PROTOCOL_REGION, S3_PROTOCOL_ACCESS_KEY_ID, S3_PROTOCOL_ACCESS_KEY_SECRET } = cloch.keys
  const ours = { name: 'Cloch', url: STORAGE_S3_URL, rootUrl: proxy.url, region: S3_PROTOCOL_REGION, key: S3_PROTOCOL_ACCESS_KEY_ID, secret: S3_PROTOCOL_ACCESS_KEY_SECRET, files: join(folder, 'cloch') }
  const other = moto && { name: 'moto', ...moto, files: join(folder, 'moto') }
  return [ours, other].filter(Boolean).map((server) => ({ ...server, home: join(folder, 'home'), stopping: [] }))
}

const seen = []
for (const tool of [...commandLine, boto3, javascript, restic]) {
  const version = versionOf(tool)
  const skip = version ? false : `${tool.name} is not installed`
  test(`${tool.name} has the same results with Cloch as with another S3 server`, { skip, timeout: 900_000 }, async () => {
    const bucket = `tools-${tool.name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')}`
    const outcomes = []
    for (const server of servers()) {
      const place = mkdtempSync(join(folder, 'work-'))
      outcomes.push(await outcomesOf(tool, { ...server, bucket }, place))
      for (const stop of server.stopping) stop()
      rmSync(place, { recursive: true })
    }
    const [ours, other] = outcomes
    seen.push({ tool: tool.name, version, ours, other })
    for (const { operation, outcome } of ours) {
      assert.equal(outcome, expected(tool, operation), `${tool.name}: ${operation}`)
    }
  })
}

test('docs/s3-tools.md contains the results of the tools', { skip: python ? false : 'CLOCH_TEST_PYTHON is not set, so there is nothing to compare with' }, () => {
  const file = join(import.meta.dirname, '../../docs/s3-tools.md')
  const made = writeTable(seen)
  if (process.env.CLOCH_WRITE_DOCS) writeFileSync(file, made)
  const written = readFileSync(file, 'utf8')
  // If a tool is missing or has another version, the page was written on another machine. Then it cannot be compared.
  const head = made.split('\n').find((line) => line.startsWith('| operation'))
  if (written.includes(head)) assert.equal(made, written)
})
