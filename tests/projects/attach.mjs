/**
 * Starts Cloch on databases of Supabase that hold a public project: `node tests/projects/attach.mjs [--json FILE] [--own] [owner/name ...]`. For each
 * project, a database that Supabase made gets the project's migrations and seed, as the Supabase CLI applies them. Then Cloch starts twice with each of
 * four logins, and once after it was killed in the middle of its first start. Definitions and rows before and after may differ only in added objects
 * of the platform. `--own`: the projects of this repository instead of the public ones. Projects whose SQL this PostgreSQL cannot execute, for example
 * because an extension is missing, are listed as not tried. If no project was tried, the exit status is 77.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { removePrepared } from '../support/supabase_database.mjs'
import { attachTo, supabaseProject } from './attach_to.mjs'
import { folderOf, listed } from './list.mjs'

const repository = resolve(import.meta.dirname, '../..')

/** The projects of this repository: the club's and the examples. */
const own = () =>
  [join(repository, 'supabase-config'), ...readdirSync(join(repository, 'examples')).map((name) => join(repository, 'examples', name, 'supabase'))]
    .filter((folder) => existsSync(join(folder, 'config.toml')))
    .map((folder) => ({ name: folder.slice(repository.length + 1), folder }))

const words = process.argv.slice(2)
const jsonAt = words.indexOf('--json')
const jsonFile = jsonAt < 0 ? undefined : words.splice(jsonAt, 2)[1]
const isOwn = words.includes('--own') && words.splice(words.indexOf('--own'), 1).length > 0
const ofPublic = () =>
  listed()
    .filter(({ repository: name, expected }) => (words.length === 0 ? expected === undefined : words.includes(name)) && existsSync(folderOf(name)))
    .map(({ repository: name, folder }) => ({ name, folder: join(folderOf(name), folder) }))

const tried = []
const untried = []
for (const project of isOwn ? own() : ofPublic()) {
  const made = await supabaseProject(project.folder)
  if (made.refusal !== undefined) {
    untried.push(project.name)
    console.log(`${project.name}: not tried: ${made.refusal}`)
    continue
  }
  const result = await attachTo(made.server, project.folder)
  made.server.remove()
  tried.push({ ...project, ...made, server: undefined, ...result })
  const failed = Object.entries(result.starts).filter(([, { message }]) => message !== undefined)
  console.log(`${project.name}: ${made.migrations} migrations${made.seeded ? ' and a seed' : ''}, ${result.objects} objects, ${result.rows} lines of rows: ${result.added} added, ${Object.keys(result.starts).length - failed.length} of ${Object.keys(result.starts).length} without a change`)
  for (const [name, { message }] of failed) console.log(`  ${name}: ${message.split('\n').slice(0, 12).join('\n    ')}`)
}
removePrepared()
const runs = tried.flatMap(({ starts }) => Object.values(starts))
const good = runs.filter(({ message }) => message === undefined).length
console.log(`\n${tried.length} projects on a database of Supabase, ${untried.length} not tried: ${good} of ${runs.length} series of starts add objects of the platform and change nothing else`)
if (jsonFile) writeFileSync(jsonFile, JSON.stringify({ tried, untried }, null, 1))
process.exitCode = tried.length === 0 ? 77 : good < runs.length ? 1 : 0
