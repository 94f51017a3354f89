/** The catalog of a project's database as text, and what differs between two catalogs. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { binary } from '../support/program.mjs'
import { entries } from '../support/supabase_database.mjs'

const TIMEOUT = 600_000

const run = (program, args, environment) =>
  execFileSync(program, args, { env: environment, encoding: 'utf8', timeout: TIMEOUT, maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] })

/** Returns the entries of a dump: the lines of each object, by pg_dump's title. The order of lines and daily partitions have no meaning. */
function catalogOf(file, environment) {
  const found = entries(run('pg_restore', ['--schema-only', '--file=-', file], environment))
  return new Map([...found].map(([title, lines]) => [title.replace(/; Owner: .*/, ''), [title, ...lines].sort().join('\n')]))
}

/** Returns the titles of objects that exist in only one of the catalogs or differ, with the direction of the difference. */
export function differences(before, after) {
  const lost = [...before].filter(([title, text]) => after.get(title) !== text).map(([title]) => `${after.has(title) ? 'other' : 'missing'}: ${title}`)
  const added = [...after.keys()].filter((title) => !before.has(title)).map((title) => `new: ${title}`)
  return [...lost, ...added].sort()
}

/**
 * Dumps a running project, stops it, restores the dump into a new data folder, and resets the first one. The catalog must be the same each time.
 * @param {{ project: string, data: string, folder: string, stop: () => Promise<void>, environment: Record<string, string | undefined> }} options
 * @returns {Promise<{ objects: number, restored: string[], reset: string[] }>} the differences to the first catalog
 */
export async function compareCatalogs({ project, data, folder, stop, environment }) {
  const cloch = (args, place = data) => run(binary, [...args, '--project', project, '--data', place], environment)
  const dump = (name, place) => {
    const file = join(folder, `${name}.dump`)
    cloch(['db', 'dump', file], place)
    return file
  }
  const first = dump('first', data)
  await stop()
  const before = catalogOf(first, environment)
  const restoredData = join(folder, 'restored')
  mkdirSync(restoredData)
  copyFileSync(join(data, 'secrets.toml'), join(restoredData, 'secrets.toml'))
  if (existsSync(join(data, 'objects'))) cpSync(join(data, 'objects'), join(restoredData, 'objects'), { recursive: true })
  cloch(['db', 'restore', first, '--yes'], restoredData)
  const restored = differences(before, catalogOf(dump('restored', restoredData), environment))
  cloch(['db', 'reset', '--yes'])
  const reset = differences(before, catalogOf(dump('reset', data), environment))
  rmSync(first)
  return { objects: before.size, restored, reset }
}
