/**
 * Checks `strip_metadata` with independent readers of metadata. strip_metadata.py generates valid and mutated pictures, uploads them, and reads the
 * pictures that the server returns. CLOCH_ORACLE_SEED repeats a run; CLOCH_ORACLE_STEPS: number of files.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'

import { startProject } from '../support/program.mjs'
import { randomFrom } from './random.mjs'

const python = process.env.CLOCH_TEST_PYTHON
const skip = python ? false : 'CLOCH_TEST_PYTHON is not set, so there is no Pillow to read with'

let cloch
before(async () => {
  if (skip) return
  cloch = await startProject({
    from: null,
    change: (config) => `${config}\n[storage.buckets.strip]\npublic = false\n`,
    files: { 'cloch.toml': '[storage.buckets.strip]\nstrip_metadata = true\n' },
  })
})
after(() => cloch?.remove())

test('no reader finds metadata in an accepted picture', { skip, timeout: 600_000 }, async (t) => {
  const { seed } = randomFrom()
  t.diagnostic(`seed ${seed}`)
  const script = join(import.meta.dirname, 'strip_metadata.py')
  const { stdout } = await promisify(execFile)(python, [script, `${cloch.url}/storage/v1`, cloch.serviceKey, String(seed), process.env.CLOCH_ORACLE_STEPS ?? '500'], { maxBuffer: 1 << 26 })
  const { faults, summary, ...figures } = JSON.parse(stdout.trim().split('\n').at(-1))
  t.diagnostic(JSON.stringify(figures))
  t.diagnostic(JSON.stringify(summary))
  assert.deepEqual(faults, [])
  assert.ok(figures.taken > figures.files / 5, 'most are refused: this shows little')
})
