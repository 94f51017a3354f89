/**
 * supabase-js in other runtimes than Node: one program (tests/clients/runtimes) runs in Deno, in Bun, and in Node. Their implementations of fetch, of
 * streams and of WebSockets are different.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { checkTable } from '../clients/document.mjs'
import { resetRows, startClub } from '../clients/project.mjs'
import { deno } from '../support/deno.mjs'
import { installPackages } from '../support/npm_packages.mjs'

const versions = { '@supabase/supabase-js': '2.119.1', bun: '1.4.4' }
const platform = `@oven/bun-${process.platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`
const wait = 'create function public.wait(seconds float) returns void language sql as $$ select pg_sleep(seconds) $$;'
const results = []
let server, packages, program
before(async () => {
  packages = installPackages('runtimes', [`@supabase/supabase-js@${versions['@supabase/supabase-js']}`, `${platform}@${versions.bun}`], { node: 24 })
  program = join(packages.folder, 'program.mjs')
  copyFileSync(join(import.meta.dirname, '../clients/runtimes/program.mjs'), program)
  server = await startClub({ 'migrations/20260101000001_wait.sql': wait })
  await resetRows(server)
  const service = createClient(server.url, server.serviceKey, { auth: { persistSession: false, autoRefreshToken: false } })
  assert.equal((await service.storage.createBucket('runtimes')).error, null)
})
after(async () => {
  await server?.remove()
  packages?.remove()
})

/** Runs the program. Returns the names of the steps. */
async function run(runtime, command, words) {
  const email = `${runtime}@club.example`
  const service = createClient(server.url, server.serviceKey, { auth: { persistSession: false, autoRefreshToken: false } })
  assert.equal((await service.auth.admin.createUser({ email, password: 'Greenock pier', email_confirm: true })).error, null)
  const settings = JSON.stringify({ url: server.url, anonKey: server.anonKey, email, password: 'Greenock pier', runtime })
  const child = spawn(command, [...words, program, settings], { cwd: packages.folder, env: packages.environment, stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => (output[name] += text))
  const [status] = await once(child, 'close')
  assert.equal(status, 0, output.stdout + output.stderr)
  return output.stdout.trim().split('\n')
}

const runtimes = {
  Node: () => run('node', packages.node, []),
  Deno: () => run('deno', deno, ['run', '--quiet', '--allow-net', '--allow-env', '--allow-read', '--node-modules-dir=manual', '--no-lock']),
  Bun: () => run('bun', packages.program(`${platform}/bin/bun`), ['run']),
}
for (const [name, program] of Object.entries(runtimes))
  test(name, async () => {
    const steps = await program()
    results.push([name, steps.length, steps.join('; ')])
  })

test('docs/clients.md shows what works', () => checkTable('runtimes', ['runtime', 'steps', 'what works'], results))
