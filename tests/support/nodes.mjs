/** Two nodes of one project. Both use the keys and the database of the first node. */
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { makeProject, sleep, start } from './program.mjs'

/**
 * Starts two nodes and waits until each node has connected to the other one.
 * @param {Record<string, string>} files the files of the project
 * @param {(end: () => Promise<void>) => void} open a function that is called with a function that stops a node
 */
export async function twoNodes(files, open) {
  const places = [await makeProject({ from: null, files }), await makeProject({ from: null, files })]
  const first = await start(places[0])
  open(() => first.remove())
  // The second node uses a database login that may change the database's schemas.
  mkdirSync(places[1].data, { recursive: true })
  const secrets = join(places[0].data, 'secrets.toml')
  copyFileSync(secrets, join(places[1].data, 'secrets.toml'))
  const database = new URL(first.keys.DB_URL)
  database.username = 'supabase_admin'
  database.password = /^supabase_admin = "(.*)"$/m.exec(readFileSync(secrets, 'utf8'))[1]
  const second = await start(places[1], { environment: { CLOCH_DB_URL: database.href } })
  open(() => second.remove())
  for (let waited = 0; ![first, second].every((node) => /another node connected/.test(node.output())); waited += 20) {
    if (waited > 30_000) throw new Error('the nodes do not meet')
    await sleep(20)
  }
  return [first, second]
}
