/** At the start, the server logs every path outside of the project's folder and the data folder that it uses because of the configuration. */
import assert from 'node:assert/strict'
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { makeProject, start } from '../support/program.mjs'

/** Returns the paths that a log lists, with the source of each path. */
const listed = (output) =>
  [...output.matchAll(/config: (.+) names a path outside of the project and the data folder, which the server (reads|writes): (\S+)/g)].map(([, by, use, path]) => `${by} ${use} ${path}`)

test('the start lists paths of keys, links, variables and .env files, and nothing of its own folders', async () => {
  const place = await makeProject({ from: null, change: (text) => text.replace(/\[db\.seed\]\nenabled = \w+/, '[db.seed]\nsql_paths = ["../seeds/*.sql", "./inner.sql"]') })
  const folder = realpathSync(place.folder)
  for (const name of ['.git', 'seeds', 'app', 'outside', 'copies']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'seeds/a.sql'), 'select 1;')
  writeFileSync(join(folder, 'app/index.html'), '<p>app</p>')
  writeFileSync(join(folder, '.env'), 'A=1\n')
  writeFileSync(join(folder, 'supabase-config/inner.sql'), 'select 1;')
  symlinkSync('../outside', join(folder, 'supabase-config/linked'))
  symlinkSync('inner.sql', join(folder, 'supabase-config/own.sql'))
  writeFileSync(join(place.project, 'cloch.toml'), `[web]\napp = "../app"\n[storage]\nfolder = "${join(folder, 'copies/files')}"\n[seed]\nobjects = "./objects"\n`)
  mkdirSync(join(place.project, 'objects'))
  const server = await start(place, { environment: { CLOCH_ALLOW_PATHS: '/opt/allowed' } })
  try {
    const found = listed(server.output())
    for (const line of [
      `web.app reads ${folder}/app`,
      `storage.folder writes ${folder}/copies/files`,
      `db.seed.sql_paths reads ${folder}/seeds`,
      `db.seed.sql_paths reads ${folder}/seeds/a.sql`,
      `the link ${folder}/supabase-config/linked reads ${folder}/outside`,
      `variables of the project reads ${folder}/.env`,
      'CLOCH_ALLOW_PATHS reads /opt/allowed',
    ]) assert.ok(found.includes(line), `${line} is not in:\n${found.join('\n')}`)
    // The environment variables of this machine may contain further paths.
    const ofFiles = found.filter((line) => !/^[A-Z_]+ /.test(line))
    assert.equal(ofFiles.length, 6, found.join('\n'))
  } finally {
    await server.remove()
  }
})

test('a project without outside paths lists none', async () => {
  const server = await start(await makeProject({ from: null }))
  try {
    assert.deepEqual(listed(server.output()).filter((line) => !/^[A-Z_]+ /.test(line)), [])
  } finally {
    await server.remove()
  }
})
