/**
 * The S3 protocol against moto: s3.py sends the same random operations by boto3 to both and compares the answers; s3_differences.py holds
 * what differs and why. CLOCH_ORACLE_SEED repeats a run, CLOCH_ORACLE_STEPS says how many operations there are.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'

import { startMoto } from '../support/s3_servers.mjs'
import { startProject } from '../support/program.mjs'
import { randomFrom } from './random.mjs'

const python = process.env.CLOCH_TEST_PYTHON
const skip = python ? false : 'CLOCH_TEST_PYTHON is not set, so there is no moto to compare with'

let cloch, moto
before(async () => {
  if (skip) return
  cloch = await startProject({ from: null })
  moto = await startMoto(python)
})
after(async () => {
  moto?.stop()
  await cloch?.remove()
})

test('moto answers the same, but for what is explained', { skip, timeout: 600_000 }, async (t) => {
  const { seed } = randomFrom()
  t.diagnostic(`seed ${seed}`)
  const { STORAGE_S3_URL: url, S3_PROTOCOL_REGION: region, S3_PROTOCOL_ACCESS_KEY_ID: key, S3_PROTOCOL_ACCESS_KEY_SECRET: secret } = cloch.keys
  const asked = { cloch: { url, region, key, secret }, moto, seed, steps: Number(process.env.CLOCH_ORACLE_STEPS ?? 1000) }
  const { stdout } = await promisify(execFile)(python, [join(import.meta.dirname, 's3.py'), JSON.stringify(asked)], { maxBuffer: 1 << 26 })
  const { faults, ...figures } = JSON.parse(stdout.trim().split('\n').at(-1))
  t.diagnostic(JSON.stringify(figures))
  assert.deepEqual(faults.slice(0, 40), [], `${faults.length} of ${figures.steps}`)
  assert.ok(figures.same > figures.steps / 2, 'most differ: this shows little')
})
