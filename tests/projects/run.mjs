/**
 * Starts each public project with a new data folder and prints the result: `node tests/projects/run.mjs [--functions] [--restore] [--types CLI] [--json FILE]
 * [owner/name ...]`. `--functions` also calls each function once. `--restore` also compares the catalog of the database with that of its restored dump
 * and of a reset project; a difference is a failure. `--types CLI` also compares the generated types with those of the Supabase CLI, whose program is
 * `CLI`, and counts the entries of the committed types that are the same. Projects that are not downloaded yet (see fetch.mjs) are listed. If there are none at all, the
 * exit status is 77.
 */
import { existsSync, writeFileSync } from 'node:fs'

import { folderOf, listed } from './list.mjs'
import { tryProject } from './try.mjs'

const words = process.argv.slice(2)
const value = (name) => (words.includes(name) ? words.splice(words.indexOf(name), 2)[1] : undefined)
const [jsonFile, cli] = [value('--json'), value('--types')]
const flag = (name) => words.includes(name) && words.splice(words.indexOf(name), 1).length > 0
const [boots, restores] = [flag('--functions'), flag('--restore')]
/** Formats the differences between the catalogs of one project for the output. */
const catalogLines = (catalogs) =>
  catalogs === undefined
    ? []
    : catalogs.error !== undefined
      ? [`dump, restore or reset failed: ${catalogs.error}`]
      : [
          `${catalogs.objects} objects in the catalog`,
          ...catalogs.restored.map((line) => `after dump and restore, ${line}`),
          ...catalogs.reset.map((line) => `after db reset, ${line}`),
        ]

/** Formats the differences between the types of one project for the output. */
const typeLines = (types) =>
  types === undefined
    ? []
    : types.error !== undefined
      ? [`types failed: ${types.error}`]
      : [
          `${types.entries} entries in the types, ${types.differences.length} differ from the CLI's`,
          ...types.differences.slice(0, 20).map((line) => `  ${line}`),
          ...(types.committed ? [`${types.committed.equal} of ${types.committed.entries} entries of the committed types are the same`] : []),
        ]

const chosen = listed().filter(({ repository }) => words.length === 0 || words.includes(repository))
const results = []
// The projects run one after another, because most of them use the same port for the database.
for (const project of chosen) {
  if (!existsSync(folderOf(project.repository))) {
    console.log(`${project.repository}: not fetched`)
    continue
  }
  const result = await tryProject(project, { boots, restores, cli })
  results.push({ ...project, ...result })
  console.log(`${project.repository}: ${result.started ? `started in ${result.seconds} s` : `failed: ${result.message}`}`)
  for (const line of result.functions?.failed ?? []) console.log(`  function ${line}`)
  for (const line of typeLines(result.types)) console.log(`  ${line}`)
  for (const line of catalogLines(result.catalogs)) console.log(`  ${line}`)
}
const functions = results.flatMap((result) => result.functions ?? [])
const booted = functions.reduce((sum, { booted }) => sum + booted, 0)
if (boots) console.log(`\n${booted} of ${functions.reduce((sum, { failed }) => sum + failed.length, booted)} functions boot`)
const started = results.filter(({ started }) => started).length
const onSupabase = results.filter(({ expected }) => expected === undefined)
console.log(`\n${started} of ${results.length} start; of ${onSupabase.length} that start on Supabase, ${onSupabase.filter(({ started }) => started).length}`)
const typed = results.filter(({ types }) => types !== undefined)
const otherTypes = typed.filter(({ types }) => types.error !== undefined || types.differences.length > 0)
if (cli) console.log(`${typed.length - otherTypes.length} of ${typed.length} have the types that the Supabase CLI generates`)
const compared = results.filter(({ catalogs }) => catalogs !== undefined)
const different = compared.filter(({ catalogs }) => catalogs.error !== undefined || catalogs.restored.length + catalogs.reset.length > 0)
if (restores) console.log(`${compared.length - different.length} of ${compared.length} have the same catalog after dump and restore, and after db reset`)
if (results.length === 0) console.log('not tested: public projects, none is downloaded (node tests/projects/fetch.mjs)')
if (jsonFile) writeFileSync(jsonFile, JSON.stringify(results, null, 1))
process.exitCode = results.length === 0 ? 77 : different.length + otherTypes.length > 0 || (restores && compared.length === 0) ? 1 : 0
