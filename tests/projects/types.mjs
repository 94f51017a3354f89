/** The types of a running project's database: by Cloch, by the Supabase CLI, and those that the project has committed. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { entries } from '../oracles/generated_types.mjs'
import { binary } from '../support/program.mjs'

const run = promisify(execFile)

/** Returns the schemas of the API that contain tables of the project, from config.toml. */
function schemasOf(project) {
  const file = join(project, 'config.toml')
  const [, list = '"public"'] = (existsSync(file) && /^\s*schemas\s*=\s*\[([^\]]*)\]/m.exec(readFileSync(file, 'utf8'))) || []
  const names = [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name)
  // The platform's schemas are not the project's, and schemas that do not exist in the database are empty.
  return [...new Set(['public', ...names.filter((name) => !['graphql_public', 'storage', 'auth'].includes(name))])].join(',')
}

/** Returns the paths of the entries that differ, with both values. */
function differences(ours, theirs) {
  const paths = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])]
  return paths.filter((path) => ours[path] !== theirs[path]).map((path) => `${path}: ${ours[path]}, there: ${theirs[path]}`)
}

/**
 * Compares the types of a running project.
 * @param {{ project: string, data: string, cli: string, committed?: string, environment: Record<string, string | undefined> }} options
 *   `cli`: the program of the Supabase CLI; `committed`: the file with the project's own types
 * @returns {Promise<{ entries: number, differences: string[], committed?: { entries: number, equal: number } }>}
 */
export async function compareTypes({ project, data, cli, committed, environment }) {
  const options = { env: environment, encoding: 'utf8', maxBuffer: 1 << 28 }
  const schemas = schemasOf(project)
  const place = ['--project', project, '--data', data]
  const ours = entries((await run(binary, ['gen', 'types', 'typescript', '--schema', schemas, ...place], options)).stdout)
  const { DB_URL } = JSON.parse((await run(binary, ['status', '-o', 'json', ...place], options)).stdout)
  const output = (await run(cli, ['gen', 'types', `--remote=${DB_URL}`, '--schema', schemas, '--query-timeout', '120s'], { ...options, cwd: data })).stdout
  // The output begins with notices. The types follow after them.
  const theirs = entries(output.slice(output.indexOf('export type Json')))
  // The CLI prints the version of the table REST API only for a hosted project.
  delete ours['__InternalSupabase / PostgrestVersion']
  return { entries: Object.keys(theirs).length, differences: differences(ours, theirs), committed: committed && besideCommitted(ours, committed) }
}

/** Counts the entries of tables and enums of the committed types that are the same in ours. The files may be older than the migrations. */
function besideCommitted(ours, file) {
  let theirs
  try {
    theirs = entries(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
  const paths = Object.keys(theirs).filter((path) => /^public \/ (Tables|Enums) \//.test(path) && !path.includes('Relationships'))
  return { entries: paths.length, equal: paths.filter((path) => ours[path] === theirs[path]).length }
}
