/**
 * Starts each public project with a new data folder and prints the result: `node tests/projects/run.mjs [--functions] [--json FILE] [owner/name
 * ...]`. `--functions` also calls each function once. Projects that are not downloaded yet (see fetch.mjs) are listed.
 */
import { existsSync, writeFileSync } from 'node:fs'

import { folderOf, listed } from './list.mjs'
import { tryProject } from './try.mjs'

const words = process.argv.slice(2)
const jsonAt = words.indexOf('--json')
const jsonFile = jsonAt < 0 ? undefined : words.splice(jsonAt, 2)[1]
const boots = words.includes('--functions')
if (boots) words.splice(words.indexOf('--functions'), 1)
const chosen = listed().filter(({ repository }) => words.length === 0 || words.includes(repository))
const results = []
// The projects run one after another, because most of them use the same port for the database.
for (const project of chosen) {
  if (!existsSync(folderOf(project.repository))) {
    console.log(`${project.repository}: not fetched`)
    continue
  }
  const result = await tryProject(project, { boots })
  results.push({ ...project, ...result })
  console.log(`${project.repository}: ${result.started ? `started in ${result.seconds} s` : `failed: ${result.message}`}`)
  for (const line of result.functions?.failed ?? []) console.log(`  function ${line}`)
}
const functions = results.flatMap((result) => result.functions ?? [])
const booted = functions.reduce((sum, { booted }) => sum + booted, 0)
if (boots) console.log(`\n${booted} of ${functions.reduce((sum, { failed }) => sum + failed.length, booted)} functions boot`)
const started = results.filter(({ started }) => started).length
const onSupabase = results.filter(({ expected }) => expected === undefined)
console.log(`\n${started} of ${results.length} start; of ${onSupabase.length} that start on Supabase, ${onSupabase.filter(({ started }) => started).length}`)
if (jsonFile) writeFileSync(jsonFile, JSON.stringify(results, null, 1))
