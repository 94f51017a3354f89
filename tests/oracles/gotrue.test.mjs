/**
 * `/auth/v1` answers as GoTrue does. gotrue/recorded.json has the responses and the rows of a GoTrue to the same requests; gotrue/differences.mjs
 * lists the allowed differences.
 *
 * CLOCH_TEST_GOTRUE_URL: the addresses of two running GoTrue, with and without confirmation of addresses, separated by a space. Their responses are
 * then compared instead of the record, and with CLOCH_UPDATE=1 they replace it. CLOCH_TEST_GOTRUE_DB_URL: their databases, in the same order; all
 * users in them are deleted. CLOCH_TEST_GOTRUE_SMTP_PORT: the port to which they send mails, whose text is "Code {{ .Token }}" and a link to
 * {{ .ConfirmationURL }}. CLOCH_TEST_GOTRUE_JWT_SECRET and CLOCH_TEST_GOTRUE_VERSION. Their settings are those of gotrue/servers.mjs.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { differencesOf, explain, report } from './gotrue/compare.mjs'
import { DIFFERENCES } from './gotrue/differences.mjs'
import { readRecord, writeRecord } from './gotrue/record.mjs'
import { withConfirmations, withoutConfirmations } from './gotrue/scenarios.mjs'
import { references, startCloch } from './gotrue/servers.mjs'
import { Session } from './gotrue/session.mjs'

const MINIMUM_STEPS = 2150

test('auth answers as GoTrue', { timeout: 600_000 }, async () => {
  const cloch = await runOnCloch()
  const reference = (await runOnReference()) ?? readRecord()
  const steps = Object.values(cloch).flat().length
  assert.ok(steps >= MINIMUM_STEPS, `${steps} steps ran: this shows little`)
  assert.deepEqual(Object.keys(cloch).sort(), Object.keys(reference).sort(), 'the scenarios of the record are others')
  const found = Object.keys(cloch).flatMap((scenario) => differencesOf(reference[scenario], cloch[scenario]).map((difference) => ({ scenario, ...difference })))
  const { unexplained, unused } = explain(found, DIFFERENCES)
  assert.equal(unexplained.length, 0, `${unexplained.length} of ${steps} steps' values differ from GoTrue:\n${report(unexplained)}`)
  assert.deepEqual(
    unused.map(({ why }) => why),
    [],
    'these allowed differences do not occur any more',
  )
})

async function runOnCloch() {
  const run = async (confirmations, scenarios) => {
    const server = await startCloch({ confirmations })
    try {
      return await runAll(server, scenarios)
    } finally {
      await server.close()
    }
  }
  const [first, second] = await Promise.all([run(true, withConfirmations), run(false, withoutConfirmations)])
  return { ...first, ...second }
}

async function runOnReference() {
  const servers = await references()
  if (!servers) return undefined
  try {
    const scenarios = { ...(await runAll(servers.withConfirmations, withConfirmations)), ...(await runAll(servers.without, withoutConfirmations)) }
    if (process.env.CLOCH_UPDATE) writeRecord(scenarios, process.env.CLOCH_TEST_GOTRUE_VERSION ?? 'unknown')
    return scenarios
  } finally {
    await servers.close()
  }
}

async function runAll(server, scenarios) {
  const results = {}
  for (const [name, scenario] of Object.entries(scenarios)) {
    const session = new Session(server)
    await session.clear()
    try {
      await scenario(session)
    } catch (error) {
      // The steps before it are compared: they show why the scenario could not continue.
      session.steps.push({ name: 'the scenario failed', error: String(error.stack).split('\n').slice(0, 2).join(' ') })
    }
    session.unreadMails()
    // Without undefined values, as in the record.
    results[name] = JSON.parse(JSON.stringify(session.steps))
  }
  return results
}
