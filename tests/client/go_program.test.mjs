/**
 * The Go program of docs/clients.md, compiled with the unmodified modules of supabase-go. CLOCH_GO_MODULE is a folder with a go.mod and these
 * modules in vendor/, for machines without access to a module proxy.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { snippets } from '../clients/document.mjs'
import { startClub } from '../clients/project.mjs'

const MAX_BUILD_MILLISECONDS = 10 * 60_000
const password = 'Greenock pier'
const folder = mkdtempSync(join(tmpdir(), 'cloch-go-'))
// Uses Go's own caches, which keep the downloaded modules and the compiled packages.
const environment = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '' }
const go = (...words) => spawnSync('go', words, { cwd: join(folder, 'program'), env: environment, encoding: 'utf8', timeout: MAX_BUILD_MILLISECONDS })

/** Installs the modules. Returns the reason if this is not possible on this machine. */
function missing() {
  cpSync(process.env.CLOCH_GO_MODULE ?? join(import.meta.dirname, '../clients/go/module'), join(folder, 'program'), { recursive: true })
  const version = go('version')
  if (version.error || version.status !== 0) return 'Go is not installed'
  if (process.env.CLOCH_GO_MODULE) return false
  const { status, stderr } = go('get', 'github.com/supabase-community/supabase-go@v0.0.4')
  return status === 0 ? false : `the modules could not be downloaded: ${stderr.trim().split('\n').at(-1)}`
}

const skip = missing()
let server

before(async () => {
  if (!skip) server = await startClub()
})
after(async () => {
  await server?.remove()
  rmSync(folder, { recursive: true, force: true })
})

test('the Go program of docs/clients.md runs', { skip }, async () => {
  const service = createClient(server.url, server.serviceKey, { auth: { persistSession: false } })
  await service.auth.admin.createUser({ email: 'ann@club.example', password, email_confirm: true })
  await service.storage.createBucket('files', { public: true })
  const [program, ...others] = snippets('go')
  assert.deepEqual(others, [])
  writeFileSync(join(folder, 'program/main.go'), program)
  const built = go('build', '-o', '../built', '.')
  assert.equal(built.status, 0, built.stderr)
  // The program runs twice; the second upload replaces the file.
  for (const _ of [1, 2]) {
    const { status, stdout, stderr } = spawnSync(join(folder, 'built'), { env: { ...process.env, SUPABASE_URL: server.url, SUPABASE_ANON_KEY: server.anonKey }, encoding: 'utf8', timeout: 60_000 })
    assert.deepEqual([status, stdout], [0, 'Meet at the pier\nhello\n'], stderr)
  }
})
