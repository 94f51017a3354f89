/**
 * Runs the programs of tests/clients/community: the calls in the README of unmodified libraries that are only on GitHub. `node
 * tests/own-suites/programs.mjs [NAME ...]` downloads the libraries; CLOCH_OWN_SUITES_SOURCES sets a folder that contains them, one folder for each
 * name. PHP needs Debian's packages php-cli and php-guzzlehttp-guzzle. A run of all programs compares the results with the table `community` in
 * docs/clients.md; with CLOCH_WRITE_DOCS=1, it writes the table. If a library or its compiler is missing, the exit status is 77.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { checkTable } from '../clients/document.mjs'
import { resetRows, startClub } from '../clients/project.mjs'
import { NotAvailable, cached } from './prepare.mjs'

const MAX_BUILD_MILLISECONDS = 10 * 60_000
const MAX_PROGRAM_MILLISECONDS = 2 * 60_000
/** Exit status of a suite that cannot run on this machine. automake uses the same status. */
const SKIPPED = 77
const programs = join(import.meta.dirname, '../clients/community')

/** Returns the folder with a library: one commit of its repository, or what `fill` downloads. */
function library(name, commit, fill) {
  const given = process.env.CLOCH_OWN_SUITES_SOURCES && join(process.env.CLOCH_OWN_SUITES_SOURCES, name.replace('/', '-'))
  if (given && existsSync(given)) return given
  const clone = (folder, run) => {
    run('git', 'init', '--quiet')
    run('git', 'fetch', '--quiet', '--depth', '1', `https://github.com/${name}`, commit)
    run('git', 'checkout', '--quiet', '--detach', 'FETCH_HEAD')
  }
  return cached(`${name.replace('/', '-')}-${commit}`, fill ?? clone)
}

function run(command, words, options) {
  const { status, error, stderr } = spawnSync(command, words, { encoding: 'utf8', timeout: MAX_BUILD_MILLISECONDS, ...options })
  if (error || status !== 0) throw new NotAvailable(`${command} ${words.join(' ')}: ${error?.message ?? stderr}`)
}

/** A command that runs the program of phpsupabase. */
function php({ name, commit }) {
  const folder = library(name, commit)
  run('php', ['-r', 'require getenv("GUZZLE_AUTOLOAD") ?: "/usr/share/php/GuzzleHttp/autoload.php";'])
  return ['php', join(programs, 'phpsupabase.php'), folder]
}

/** A command that runs the program of supabase-go, which is compiled in `folder`. A given library has a go.mod, and its modules in vendor/. */
function go({ name, commit }, folder) {
  const environment = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '' }
  const modules = library(name, commit, (draft) => {
    writeFileSync(join(draft, 'go.mod'), 'module example.com/program\n\ngo 1.23\n')
    run('go', ['get', `github.com/${name}@${commit}`], { cwd: draft, env: environment })
  })
  cpSync(modules, folder, { recursive: true })
  copyFileSync(join(programs, 'nedpals_supabase.go'), join(folder, 'main.go'))
  run('go', ['build', '-o', 'built', '.'], { cwd: folder, env: environment })
  return [join(folder, 'built')]
}

const clients = [
  { title: 'PHP: phpsupabase 0.0.12', name: 'rafaelwendel/phpsupabase', commit: '2508026b662857dbefe3fefe017bebb5ca378ee5', command: php, different: 'none' },
  {
    title: 'Go: nedpals/supabase-go 0.5',
    name: 'nedpals/supabase-go',
    commit: 'b69a16356ba8c7af63461d8e51fed34c340480fd',
    command: go,
    different: '`Storage.Move`, `Storage.Copy`: the library misspells a field, so that every server refuses them',
  },
]

/** Runs a program. Returns its steps, each with its error or null. */
async function stepsOf(client, server) {
  const folder = mkdtempSync(join(tmpdir(), 'cloch-community-'))
  try {
    const [command, ...words] = client.command(client, folder)
    const environment = { ...process.env, SUPABASE_URL: server.url, SUPABASE_ANON_KEY: server.anonKey, SUPABASE_SERVICE_ROLE_KEY: server.serviceKey }
    const child = spawn(command, words, { env: environment, stdio: ['ignore', 'pipe', 'inherit'], timeout: MAX_PROGRAM_MILLISECONDS })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text))
    const [status] = await once(child, 'close')
    if (status !== 0) throw new Error(`${client.name}: the program ended with status ${status}: ${output}`)
    return output.trim().split('\n').map((line) => JSON.parse(line))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function main(wanted) {
  const unknown = wanted.filter((name) => !clients.some((client) => client.name === name))
  if (unknown.length > 0) throw new Error(`no such client: ${unknown.join(', ')}; there are ${clients.map(({ name }) => name).join(', ')}`)
  const server = await startClub()
  const [rows, problems] = [[], []]
  try {
    for (const client of clients.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
      await resetRows(server)
      const steps = await stepsOf(client, server)
      const failed = steps.filter(({ error }) => error !== null)
      problems.push(...failed.map(({ step, error }) => `${client.name}: ${step}: ${error}`))
      rows.push([client.title, steps.length, steps.length - failed.length, client.different])
    }
  } catch (error) {
    if (!(error instanceof NotAvailable)) throw error
    console.error(`skipped: ${error.message}`)
    return SKIPPED
  } finally {
    await server.remove()
  }
  console.table(rows)
  problems.forEach((problem) => console.log(problem))
  if (wanted.length === 0 && problems.length === 0) checkTable('community', ['client', 'steps', 'right', 'deliberately different'], rows)
  return problems.length === 0 ? 0 : 1
}

process.exit(await main(process.argv.slice(2)))
