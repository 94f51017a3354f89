/**
 * Schema changes under load, compared with PostgREST (see schema_changes.mjs). CLOCH_ORACLE_STEPS sets the length, CLOCH_ORACLE_SEED the sequence.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { canRun, compareChanges } from './schema_changes.mjs'

const steps = Number(process.env.CLOCH_ORACLE_STEPS ?? 300)
const seed = Number(process.env.CLOCH_ORACLE_SEED ?? 1)

test(`${steps} schema changes with seed ${seed}`, { skip: !canRun() && `there is no PostgREST for ${process.platform}-${process.arch}`, timeout: 60_000 + steps * 5_000 }, async (context) => {
  const found = await compareChanges({ steps, seed, log: (line) => context.diagnostic(line) })
  context.diagnostic(JSON.stringify({ ...found, unexplained: found.unexplained.length }))
  assert.equal(found.steps, steps)
  assert.ok(found.requests >= steps * 8, 'requests were compared')
  assert.deepEqual(found.unexplained, [])
})
