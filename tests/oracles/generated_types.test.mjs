/**
 * For the same schema, `cloch gen types` generates the same types as the Supabase CLI. generated_types/supabase-cli.ts is the output of CLI version
 * 3.1.0. CLOCH_TEST_SUPABASE_CLI: the program of another version, whose output is compared instead. With CLOCH_UPDATE=1, this output replaces the
 * file.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { binary, makeProject, start } from '../support/program.mjs'
import { entries } from './generated_types.mjs'

const SCHEMAS = 'wide,other'
const folder = join(import.meta.dirname, 'generated_types')

test('types equal those of the Supabase CLI', { timeout: 600_000 }, async () => {
  const place = await makeProject({ from: null })
  const cloch = await start(place)
  try {
    execFileSync('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', cloch.keys.DB_URL, '-f', join(folder, 'schema.sql')], { stdio: ['ignore', 'inherit', 'inherit'] })
    const generated = entries(execFileSync(binary, ['gen', 'types', 'typescript', '--schema', SCHEMAS, '--project', place.project, '--data', place.data], { encoding: 'utf8' }))
    const cli = process.env.CLOCH_TEST_SUPABASE_CLI
    const recorded = join(folder, 'supabase-cli.ts')
    let source = readFileSync(recorded, 'utf8')
    if (cli) {
      const output = execFileSync(cli, ['gen', 'types', `--remote=${cloch.keys.DB_URL}`, '--schema', SCHEMAS], { encoding: 'utf8' })
      // The output begins with notices. The types follow after them.
      source = output.slice(output.indexOf('export type Json'))
      if (process.env.CLOCH_UPDATE) writeFileSync(recorded, source)
    }
    const expected = entries(source)
    // The CLI prints the version of the table REST API only for a hosted project. supabase-js needs this version.
    delete generated['__InternalSupabase / PostgrestVersion']
    assert.ok(Object.keys(expected).length > 1000, 'most of the schema is missing: this shows little')
    const differences = [...new Set([...Object.keys(expected), ...Object.keys(generated)])].filter((path) => generated[path] !== expected[path])
    assert.deepEqual(differences.map((path) => `${path}: ${generated[path]}, CLI: ${expected[path]}`), [])
  } finally {
    await cloch.remove()
    rmSync(place.folder, { recursive: true, force: true })
  }
})
