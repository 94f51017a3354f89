/**
 * Runs the programs of tests/clients/community: the calls in the README of unmodified libraries that are only on GitHub. `node
 * tests/own-suites/programs.mjs [NAME ...]` downloads the libraries; CLOCH_OWN_SUITES_SOURCES sets a folder that contains them, one folder for each
 * name. PHP needs Debian's packages php-cli and php-guzzlehttp-guzzle, Ruby needs ruby (CLOCH_OWN_SUITES_RUBY sets another program). A run of all
 * programs compares the results with the table `community` in docs/clients.md; with CLOCH_WRITE_DOCS=1, it writes the table. A program whose
 * library or compiler is missing is skipped. Then the exit status is 77.
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

/** A command that runs the program of supabase-rb. Its dependencies are libraries of GitHub too: only Ruby itself must be installed. */
function ruby({ name, commit, dependencies }) {
  const folders = [library(name, commit), ...Object.entries(dependencies).map(([other, at]) => library(other, at))]
  const command = process.env.CLOCH_OWN_SUITES_RUBY ?? 'ruby'
  run(command, ['-e', 'exit RUBY_VERSION >= "3.0"'])
  return [command, ...folders.flatMap((folder) => ['-I', join(folder, 'lib')]), join(programs, 'supabase_rb.rb')]
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
  {
    title: 'Ruby: supabase-rb 2.0.0',
    name: 'supabase-ruby/supabase-rb',
    commit: '0032791d8828632cfdd35b7d669e2d19935e0a4a',
    // Faraday 2.14.2 with its adapter and multipart forms, jwt 3.2.0, and a WebSocket.
    dependencies: {
      'lostisland/faraday': '59334e0e9b1918bd26b143f4a7bbc8c765de3ac4',
      'lostisland/faraday-net_http': '5ee17ed98e41ad038c9b16ccf8ecf08bd1735568',
      'lostisland/faraday-multipart': '437f825a07afcc9c75f148f947638a626e1414c9',
      'socketry/multipart-post': 'cce3634876b74e08a6c51d02db00070a82dc8cc4',
      'jwt/ruby-jwt': 'a2cb2723c568890b7fc61266621adb394f8500ca',
      'ruby-jp/websocket-client-simple': '63e2288252a752f0ad8baad02b83525c9762f00a',
      'imanel/websocket-ruby': 'd9faee125c407d9c3dc95301ded3c9ef97671b00',
      'shokai/event_emitter': 'a01fe7850bd48995bd424146263b6ddb45fd763e',
    },
    command: ruby,
    different: 'none',
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
  const [rows, problems, skipped] = [[], [], []]
  try {
    for (const client of clients.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
      await resetRows(server)
      try {
        const steps = await stepsOf(client, server)
        const failed = steps.filter(({ error }) => error !== null)
        problems.push(...failed.map(({ step, error }) => `${client.name}: ${step}: ${error}`))
        rows.push([client.title, steps.length, steps.length - failed.length, client.different])
      } catch (error) {
        if (!(error instanceof NotAvailable)) throw error
        skipped.push(`skipped: ${error.message}`)
      }
    }
  } finally {
    await server.remove()
  }
  console.table(rows)
  for (const line of [...problems, ...skipped]) console.log(line)
  if (problems.length > 0) return 1
  if (skipped.length > 0) return SKIPPED
  if (wanted.length === 0) checkTable('community', ['client', 'steps', 'right', 'deliberately different'], rows)
  return 0
}

process.exit(await main(process.argv.slice(2)))
