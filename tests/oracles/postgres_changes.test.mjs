/** Compares changes of tables with a second reader of PostgreSQL's log: no change is lost or added, and the order is right. */
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Missing, compare } from './postgres_changes.mjs'

const changes = Number(process.env.CLOCH_ORACLE_STEPS ?? 300)
const seed = Number(process.env.CLOCH_ORACLE_SEED ?? 1)

test('twenty subscribers receive exactly those random changes that policies and filters allow', async (t) => {
  t.diagnostic(`CLOCH_ORACLE_SEED=${seed}`)
  try {
    const figures = await compare({ changes, subscribers: 20, seed })
    t.diagnostic(JSON.stringify(figures))
    assert.ok(figures.messages > changes, JSON.stringify(figures))
  } catch (error) {
    if (!(error instanceof Missing)) throw error
    t.skip(error.message)
  }
})
