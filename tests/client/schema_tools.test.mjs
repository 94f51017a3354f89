/**
 * Tools that write and read the schema over DB_URL, unmodified: drizzle-kit with its predefined roles for Supabase, and kysely-codegen. npm installs
 * them for this run.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { checkTable } from '../clients/document.mjs'
import { query } from '../support/database.mjs'
import { installPackages } from '../support/npm_packages.mjs'
import { startProject } from '../support/program.mjs'

const versions = { 'drizzle-kit': '0.31.11', 'drizzle-orm': '0.45.4', 'kysely-codegen': '0.20.0', kysely: '0.28.19', pg: '8.23.1', typescript: '5.9.3' }
const schema = `
import { sql } from 'drizzle-orm'
import { bigint, index, integer, jsonb, pgEnum, pgPolicy, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { anonRole, authUsers, authenticatedRole } from 'drizzle-orm/supabase'

export const mood = pgEnum('mood', ['sad', 'ok'])
export const profiles = pgTable('profiles', {
  id: uuid('id').primaryKey().references(() => authUsers.id, { onDelete: 'cascade' }),
  name: text('name').notNull(),
  mood: mood('mood').default('ok'),
  tags: text('tags').array(),
  meta: jsonb('meta'),
  at: timestamp('at', { withTimezone: true }).defaultNow(),
}, (table) => [
  pgPolicy('own profile', { for: 'all', to: authenticatedRole, using: sql\`(select auth.uid()) = \${table.id}\`, withCheck: sql\`(select auth.uid()) = \${table.id}\` }),
  pgPolicy('everybody reads', { for: 'select', to: [anonRole, authenticatedRole], using: sql\`true\` }),
  index('by_name').on(table.name),
])
export const posts = pgTable('posts', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  author: uuid('author').references(() => profiles.id),
  words: integer('words'),
}).enableRLS()
`
const config = `
import { defineConfig } from 'drizzle-kit'
export default defineConfig({ dialect: 'postgresql', schema: './schema.ts', out: process.env.OUT, dbCredentials: { url: process.env.DB_URL }, entities: { roles: { provider: 'supabase' } } })
`
const results = []
let server, packages
before(async () => {
  packages = installPackages('schema-tools', Object.entries(versions).map((entry) => entry.join('@')))
  writeFileSync(join(packages.folder, 'schema.ts'), schema)
  writeFileSync(join(packages.folder, 'drizzle.config.ts'), config)
  server = await startProject({ from: null })
})
after(async () => {
  await server?.remove()
  packages?.remove()
})

/** Runs a program of the packages. Fails if the program reports an error. */
function run(file, args, environment = {}) {
  const options = { cwd: packages.folder, env: { ...packages.environment, DB_URL: server.keys.DB_URL, ...environment }, encoding: 'utf8', timeout: 120_000 }
  const { status, stdout, stderr } = spawnSync(packages.node, [packages.program(file), ...args], options)
  assert.equal(status, 0, stdout + stderr)
  return stdout
}
const kit = (command, out, ...args) => run('drizzle-kit/bin.cjs', [command, ...args], { OUT: out })

const sql = (statement) => query(server.keys.DB_URL, statement)

test('drizzle-kit', async () => {
  kit('generate', './made')
  kit('migrate', './made')
  kit('migrate', './made')
  const policies = await sql("select policyname, roles::text, qual from pg_policies where tablename = 'profiles' order by 1")
  assert.deepEqual(policies, [
    { policyname: 'everybody reads', roles: '{anon,authenticated}', qual: 'true' },
    { policyname: 'own profile', roles: '{authenticated}', qual: '(( SELECT auth.uid() AS uid) = id)' },
  ])
  assert.match(kit('push', './made', '--force'), /No changes detected/)
  const rest = await fetch(`${server.url}/rest/v1/posts?select=id,author:profiles(name)`, { headers: { apikey: server.anonKey } })
  assert.deepEqual([rest.status, await rest.json()], [200, []])

  mkdirSync(join(packages.folder, 'pulled'))
  kit('pull', './pulled')
  assert.ok(readdirSync(join(packages.folder, 'pulled')).includes('schema.ts'))
  const pulled = readFileSync(join(packages.folder, 'pulled/schema.ts'), 'utf8')
  // The result contains the tables of the project, and no roles of the platform.
  assert.deepEqual([...pulled.matchAll(/pg(Table|Role)\("(\w+)"/g)].map(([, kind, name]) => `${kind} ${name}`).toSorted(), ['Table posts', 'Table profiles'])
  // drizzle-kit writes the condition of only one policy of each table (docs/clients.md).
  for (const name of ['own profile', 'everybody reads']) assert.ok(pulled.includes(`pgPolicy("${name}"`), pulled)
  results.push([`\`drizzle-kit\` ${versions['drizzle-kit']}`, 'generate, migrate, push, pull, with policies and a reference to `auth.users`'])
})

test('kysely-codegen', () => {
  const generate = (file, ...args) => {
    run('kysely-codegen/dist/cli/bin.js', ['--dialect', 'postgres', '--url', server.keys.DB_URL, '--out-file', file, ...args])
    return readFileSync(join(packages.folder, file), 'utf8')
  }
  const own = generate('public.ts', '--include-pattern', 'public.*')
  assert.match(own.replaceAll(/\s+/g, ' '), /export interface DB \{ posts: Posts; profiles: Profiles; \}/)
  assert.match(own, /mood: Generated<Mood \| null>/)
  assert.match(generate('all.ts'), /"storage\.objects": StorageObjects/)
  results.push([`\`kysely-codegen\` ${versions['kysely-codegen']}`, 'types of all schemas, or of `public`'])
})

test('docs/clients.md shows the tools that ran', () => {
  checkTable('schema-tools', ['package', 'what works'], results)
})
