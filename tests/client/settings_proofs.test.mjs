/**
 * Black-box test of every setting in the dashboard. For each setting, five facts are checked: the requests of the page change the setting, a
 * request shows its effect, the file contains it, the audit log contains it, and it can be undone. The settings come from the server's own
 * list, so a new setting without an entry in the tables (tests/support/settings/) fails the first test. Settings without a live effect are
 * changed together, and their effect is seen after a restart.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ACCOUNTS } from '../support/settings/accounts.mjs'
import { applied, change, editable, isWritten, present } from '../support/settings/change.mjs'
import { MAILS } from '../support/settings/mails.mjs'
import { PROJECT } from '../support/settings/project.mjs'
import { makeWorld } from '../support/settings/world.mjs'

const TABLE = { ...ACCOUNTS, ...MAILS, ...PROJECT }
/** Regular expression for the keys of the settings to test, in order to test only some of them. */
const ONLY = new RegExp(process.env.CLOCH_SETTINGS ?? '')
/** Maximum number of entries in the table that have no proof for at least one name. Each of these entries contains the reason. */
const MOST_WITHOUT_PROOF = 11

let world
let settings

before(async () => {
  world = await makeWorld()
  settings = await editable(world)
})
after(() => world?.close())

/** The key in the table: the name of a provider, hook, mail or function is `*`. */
const tableKey = ({ key, name }) => (name === '' || TABLE[key] ? key : key.replace(`.${name}.`, '.*.'))
const entryOf = (setting) => TABLE[tableKey(setting)]
/** Returns the proof of a setting. A proof is a function if it covers several names or starts a server. */
const proofOf = async (setting) => {
  const entry = entryOf(setting)
  const made = typeof entry === 'function' ? await entry(setting.name === '' ? world : setting.name) : entry
  const value = (given) => (typeof given === 'function' ? given(world) : given)
  return { ...made, to: value(made.to), given: value(made.given) ?? {} }
}
const texts = () => ({ 'config.toml': world.read('config.toml'), 'cloch.toml': world.read('cloch.toml') })
/** Returns the values that undo changes of these keys. */
const former = (all, keys) => Object.fromEntries(keys.map((key) => [key, present(all, key)]))
function grouped(items, keyOf) {
  const groups = new Map()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}
const isProved = ({ why, alone }) => why === undefined && alone === undefined

test('every setting has a proof, or a reason why no request shows its effect', async () => {
  const missing = settings.filter((setting) => entryOf(setting) === undefined).map(({ key }) => key)
  assert.deepEqual(missing, [], 'settings without an entry in tests/support/settings')
  const known = new Set(settings.map(tableKey))
  assert.deepEqual(Object.keys(TABLE).filter((key) => !known.has(key)), [], 'entries without a setting')
  const without = new Set()
  // The proofs of the mail server settings start their own server.
  for (const setting of settings.filter(({ key }) => !key.startsWith('auth.email.smtp'))) {
    const { why } = await proofOf(setting)
    if (why === undefined) continue
    assert.match(why, /^[A-Z].{20,}\.$/, setting.key)
    without.add(tableKey(setting))
  }
  assert.ok(without.size <= MOST_WITHOUT_PROOF, `without a proof: ${[...without].join(', ')}`)
})

/** Groups settings by entry of the table: all providers, hooks, mails or functions of an entry are tested together. */
const batches = (all) => [...grouped(all, tableKey).values()]
const union = (proofs, field) => Object.assign({}, ...proofs.map((proof) => proof[field]))

test('settings with a live effect', async (t) => {
  for (const batch of batches(settings.filter(({ is_live, key }) => is_live && ONLY.test(key)))) {
    const proofs = (await Promise.all(batch.map(async (setting) => ({ ...setting, ...(await proofOf(setting)) })))).filter(isProved)
    if (proofs.length === 0) continue
    await t.test(tableKey(batch[0]), async () => {
      const keys = proofs.map(({ key }) => key)
      const given = union(proofs, 'given')
      const to = Object.fromEntries(proofs.map((proof) => [proof.key, proof.to]))
      const undo = Object.fromEntries(keys.map((key) => [key, given[key] ?? present(settings, key)]))
      const seen = async (what, when) => {
        const got = []
        for (const { key, see } of proofs) got.push([key, await see(world)])
        assert.deepEqual(got, proofs.map((proof) => [proof.key, proof[what]]), when)
      }
      try {
        await applied(world, given)
        await seen('from', 'before the change')
        const before = texts()
        await applied(world, to)
        await isWritten(world, to, before, 'applied')
        await seen('then', 'after the change')
        await applied(world, undo)
        await seen('from', 'after it was undone')
      } finally {
        for (const { close } of proofs) close?.()
        await applied(world, former(settings, [...new Set([...keys, ...Object.keys(given)])]))
      }
    })
  }
})

test('settings that need a restart', async (t) => {
  const waiting = settings.filter(({ is_live, key }) => !is_live && ONLY.test(key))
  const proofs = await Promise.all(waiting.map(async (setting) => ({ ...setting, ...(await proofOf(setting)) })))
  const phases = grouped(proofs.filter(isProved), ({ phase }) => phase ?? 'together')
  for (const [phase, members] of phases) {
    await t.test(`${phase}: ${members.map(({ key }) => key).join(', ')}`, async (t) => {
      const each = async (what, when) => {
        for (const member of members) await t.test(`${member.key} ${when}`, async () => assert.deepEqual(await member.see(world), member[what]))
      }
      await each('from', 'before the change')
      const [before, all] = [texts(), await editable(world)]
      const changed = Object.fromEntries(members.map(({ key, to }) => [key, to]))
      const confirmed = members.filter(({ confirm }) => confirm).map(({ key }) => key)
      const saved = await change(world, changed, confirmed)
      for (const { key, effect } of saved.changes) assert.equal(effect, 'next start', key)
      await isWritten(world, changed, before, 'next start')
      await world.restart()
      await each('then', 'after the change')
      await change(world, former(all, Object.keys(changed)), confirmed)
      assert.deepEqual((await editable(world)).filter(({ key }) => key in changed).map(({ key }) => [key, present(all, key)]), members.map(({ key }) => [key, present(all, key)]))
      await world.restart()
      await each('from', 'after it was undone')
    })
  }
})

test('a dashboard that is disabled is gone after a restart, and only the file enables it again', { skip: !ONLY.test('dashboard.enabled') }, async () => {
  const before = texts()
  await change(world, { 'dashboard.enabled': false }, ['dashboard.enabled'])
  await isWritten(world, { 'dashboard.enabled': false }, before, 'next start')
  await world.restart()
  assert.notEqual((await world.owner.send('GET', '/settings/editable')).status, 200)
  const file = join(world.server.project, 'cloch.toml')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^enabled = false$/m, 'enabled = true'))
  await world.restart()
  assert.equal((await world.owner.send('GET', '/settings/editable')).status, 200)
})
