/** Changes a setting as the dashboard does, and checks four of the five proofs: the time at which the change takes effect, the file, the audit
 * log, and undo. */
import assert from 'node:assert/strict'

const list = (settings) => Object.entries(settings).map(([key, value]) => ({ key, value }))

/** Changes settings with the requests that the page sends. Returns what was saved. */
export async function change({ owner }, settings, confirmed = []) {
  const changes = list(settings)
  const { files, env_version } = await owner.must('POST', '/settings/preview', { changes })
  const versions = [...files.map(({ version }) => version), ...(env_version ? [env_version] : [])]
  const saved = await owner.must('POST', '/settings/apply', { changes, versions, confirmed })
  assert.equal(saved.problem, null)
  return { ...saved, files }
}

/** Changes settings that must be in effect at once. */
export async function applied(world, settings) {
  if (Object.keys(settings).length === 0) return
  const { changes } = await change(world, settings)
  for (const { key, effect } of changes) assert.equal(effect, 'applied', key)
}

export const editable = async ({ owner }) =>
  (await owner.must('GET', '/settings/editable')).groups.flatMap(({ settings }) => settings)

/** Returns the value that a setting has in its file; null if the file does not contain the setting. */
export const present = (settings, key) => {
  const { is_set, value } = settings.find((one) => one.key === key)
  return is_set ? value : null
}

/** Returns the lines of a file that set a key. */
const linesOf = (text, key) => text.split('\n').filter((line) => line.startsWith(`${key.split('.').at(-1)} =`))

/** Checks that the changed settings are in their files and in the last entry of the audit log. */
export async function isWritten(world, settings, before, effect) {
  const after = await editable(world)
  for (const [key, value] of Object.entries(settings)) {
    const setting = after.find((one) => one.key === key)
    if (setting.kind.type === 'secret') {
      assert.ok(setting.has_secret, key)
      assert.ok(world.read('.env.local').includes(value), `${key} is in .env.local`)
      assert.ok(!world.read(setting.file).includes(value), `${key} is not in ${setting.file}`)
    } else {
      assert.deepEqual([setting.is_set, setting.value], [true, value], key)
      const text = setting.kind.type === 'template' ? world.read(setting.path) : world.read(setting.file)
      if (setting.kind.type === 'template') assert.equal(text, value, key)
      else if (!Array.isArray(value) || typeof value[0] !== 'object')
        assert.notDeepEqual(text.split('\n').sort(), before[setting.file].split('\n').sort(), `${key} is in ${setting.file}`)
      if (typeof value === 'number' || typeof value === 'boolean') assert.ok(linesOf(text, key).some((line) => line.includes(`= ${value}`)), key)
    }
  }
  const { entries } = await world.owner.must('GET', '/audit?action=settings.apply')
  const entry = entries.find(({ status }) => status === 200)
  assert.deepEqual(entry.details.changes.map((one) => one.key).sort(), Object.keys(settings).sort())
  for (const one of entry.details.changes) assert.equal(one.effect, effect, one.key)
  assert.ok(!JSON.stringify(entries).includes('secret-of-a-proof'))
}
