/**
 * Cloch's /storage/v1 responds as Supabase's storage server does, and writes the same rows. storage_api/recorded.json contains the responses of the
 * version that it names; storage_api/differences.mjs lists the allowed differences. CLOCH_TEST_STORAGE_API_URL: a running storage server, whose
 * responses are compared instead. All its files and buckets are deleted. CLOCH_TEST_STORAGE_API_DATABASE: the URL of its database, as a superuser;
 * CLOCH_TEST_STORAGE_API_SECRET: the secret of its tokens. With CLOCH_UPDATE=1 and CLOCH_TEST_STORAGE_API_VERSION, its responses replace the record.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { query } from '../support/database.mjs'
import { startProject } from '../support/program.mjs'
import { compare } from './storage_api/compare.mjs'
import { allowed } from './storage_api/differences.mjs'
import { readRecord, writeRecord } from './storage_api/record.mjs'
import { run } from './storage_api/runner.mjs'
import { scenarios } from './storage_api/scenarios.mjs'

const LEAST_STEPS = 7000
const SECRET = 'a secret of the recorded oracle of storage'
const folder = join(import.meta.dirname, 'storage_api')
const recorded = join(folder, 'recorded.json')
const policies = readFileSync(join(folder, 'policies.sql'), 'utf8')
const EMPTY =
  'truncate storage.objects, storage.buckets, storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts cascade'
// The scenarios provoke many refusals, which would be delayed.
const LIMITS = '[limits.visitors]\nrefusals_per_minute = 0\nfiles_per_hour = 0\nbytes_per_hour = 0\nunfinished_uploads = 0\n'

test('responses and rows equal those of the storage server', { timeout: 300_000 }, async () => {
  const cloch = await clochResults()
  const reference = await referenceResults(cloch)
  const { differences, unused, steps } = compare(reference, cloch, allowed)
  assert.ok(steps >= LEAST_STEPS, `only ${steps} steps were compared`)
  assert.equal(differences.length, 0, `${differences.length} of ${steps} steps differ:\n${differences.join('\n')}`)
  assert.deepEqual(unused, [], 'allowed differences that no step shows')
})

async function clochResults() {
  const change = (config) => `${config}\n[auth]\njwt_secret = "${SECRET}"\n`
  const cloch = await startProject({ from: null, change, files: { 'cloch.toml': LIMITS } })
  try {
    await query(cloch.keys.DB_URL, policies)
    return await run(scenarios, { url: `${cloch.url}/storage/v1`, database: cloch.keys.DB_URL, secret: SECRET })
  } finally {
    await cloch.remove()
  }
}

async function referenceResults(cloch) {
  const {
    CLOCH_TEST_STORAGE_API_URL: url,
    CLOCH_TEST_STORAGE_API_DATABASE: database,
    CLOCH_TEST_STORAGE_API_SECRET: secret,
  } = process.env
  if (url === undefined) return readRecord(recorded, cloch)
  await query(database, `${EMPTY};\n${policies}`)
  const results = await run(scenarios, { url, database, secret })
  if (process.env.CLOCH_UPDATE) writeRecord(recorded, process.env.CLOCH_TEST_STORAGE_API_VERSION, results)
  return results
}
