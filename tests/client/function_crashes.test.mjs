/**
 * A request that crashes the worker of a function delays other callers at most for a short time: each later request gets a worker, as with
 * Supabase's edge runtime. The uncaught error comes after the response, so the function boots and responds.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { deno } from '../support/deno.mjs'
import { startProject } from '../support/program.mjs'
import { until } from '../support/until.mjs'

const code = `Deno.serve((request) => {
  if (new URL(request.url).searchParams.has("crash")) setTimeout(() => { throw new Error("late"); }, 20);
  return new Response("answered");
});`
let cloch
before(async () => {
  const change = (text) => `${text}\n[functions.fragile]\nverify_jwt = false\n[functions.broken]\nverify_jwt = false\n`
  const files = { 'functions/fragile/index.ts': code, 'functions/broken/index.ts': 'throw new Error("at its start");' }
  cloch = await startProject({ from: null, files, change, environment: { CLOCH_DENO: deno } })
})
after(() => cloch?.remove())

const call = async (path) => {
  const response = await fetch(`${cloch.url}/functions/v1/${path}`)
  return [response.status, await response.text()]
}

/** The number of workers of the function that have crashed. */
const shutdowns = () => cloch.output().match(/unexpected worker shutdown.*function=fragile/g)?.length ?? 0

test('after crashes, the next request waits for a worker and gets a response', async () => {
  for (let crashes = 0; crashes < 7; crashes++) {
    assert.deepEqual(await call('fragile?crash'), [200, 'answered'])
    await until(() => shutdowns() > crashes, 'the worker has ended')
    const begun = performance.now()
    assert.deepEqual(await call('fragile'), [200, 'answered'], `after ${crashes + 1} crashes`)
    assert.ok(performance.now() - begun < 10_000)
  }
  assert.equal(shutdowns(), 7)
})

test('a function that fails to boot is refused, without a new start for each request', async () => {
  for (let tries = 0; tries < 3; tries++) {
    const [status, text] = await call('broken')
    assert.deepEqual([status, JSON.parse(text).code], [503, 'BOOT_ERROR'])
  }
})
