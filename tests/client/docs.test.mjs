/** The pages for users are true: links lead somewhere, commands run, and the reference of cloch.toml is what the program reads. */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { reference } from '../docs/configuration.mjs'
import { blocks, brokenLinks, mentions, pages, root } from '../docs/pages.mjs'
import { binary, freePort, healthy, removePlace, sleep } from '../support/program.mjs'

/** Lines that cannot run in this test, and why. */
const NOT_RUN = [
  [/^make (run|test)\b|^scripts\/build-web|^cargo install /, 'builds and tests everything: the CI runs it'],
  [/^npm install --save-dev \.\/cloch|^npx cloch /, 'the package is not published: packages.test.mjs installs the built one'],
  [/^apt install |^systemctl |^sudo -u cloch /, 'changes the machine: packages.test.mjs looks into the package'],
  [/^docker /, 'needs a Docker daemon'],
  [/^export CLOCH_|^printf '\[backup|^cloch backup |^cloch restore |^psql |^curl -X POST|^cloch start --project \.\/(data|restored)/, 'needs a loss and a backup: backup.test.mjs and restore.test.mjs run these'],
  [/^cloch upgrade/, 'needs two versions of PostgreSQL: upgrade.test.mjs runs it'],
]

test('docs/configuration.md is made of the types that read cloch.toml', () => {
  const file = join(root, 'docs/configuration.md')
  if (process.env.CLOCH_UPDATE) writeFileSync(file, reference())
  assert.equal(readFileSync(file, 'utf8'), reference(), 'stale: run this test with CLOCH_UPDATE=1')
})

test('every link leads somewhere', () => {
  const broken = pages.flatMap((page) => brokenLinks(page).map((target) => `${page}: ${target}`))
  assert.deepEqual(broken, [])
})

test('the program has every command and option that the pages name', () => {
  const helps = new Map()
  /** What a subcommand says of itself; `undefined` where the program has none of that name. */
  const help = (words) => {
    const key = words.join(' ')
    if (!helps.has(key)) {
      const { status, stdout } = spawnSync(binary, [...words, '--help'], { encoding: 'utf8' })
      helps.set(key, status === 0 ? stdout : undefined)
    }
    return helps.get(key)
  }
  const lines = blocks().flatMap(({ page, lines }) => lines.filter((line) => line.startsWith('cloch ')).map((line) => ({ page, command: line.replace(/\s+#.*/, '') })))
  const wrong = [...mentions(), ...lines].filter(({ command }) => {
    const words = command.replaceAll(/[[\]]/g, '').split(/\s+/).slice(1)
    let path = []
    while (words.length && /^[a-z-]+$/.test(words[0]) && !words[0].startsWith('-') && /^Commands:/m.test(help(path))) {
      path = [...path, words.shift()]
      if (help(path) === undefined) return true
    }
    const options = words.filter((word) => /^--?[a-z]/.test(word))
    return options.some((option) => option !== '--help' && !new RegExp(`(^|[ ,])${option}\\b`, 'm').test(help(path)))
  })
  assert.deepEqual(wrong, [])
  assert.ok(helps.size > 15)
})

test('the commands of the pages run', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'cloch-docs-'))
  // Under root the database's account has to reach its folder.
  chmodSync(folder, 0o755)
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  symlinkSync(binary, join(bin, 'cloch'))
  const environment = { ...process.env, PATH: `${bin}:${process.env.PATH}` }
  const cwd = join(folder, 'work')
  mkdirSync(cwd)
  const started = []
  after(async () => {
    for (const child of started) {
      child.kill('SIGTERM')
      await new Promise((done) => child.once('exit', done))
    }
    removePlace({ folder, data: join(cwd, '.cloch') })
    rmSync(folder, { recursive: true, force: true })
  })
  // The pages speak of a project that is there.
  execFileSync(binary, ['init', 'supabase'], { cwd, env: environment })
  const port = await freePort()
  const config = join(cwd, 'supabase/config.toml')
  writeFileSync(config, readFileSync(config, 'utf8').replace(/(\[api\][^[]*?port = )\d+/, `$1${port}`))

  let ran = 0
  for (const { page, lines } of blocks()) {
    for (const line of lines) {
      if (NOT_RUN.some(([pattern]) => pattern.test(line))) continue
      await context.test(`${page}: ${line}`, async () => {
        ran += 1
        if (!/^cloch start\b/.test(line)) {
          const { status, stdout, stderr } = spawnSync('bash', ['-ec', line], { cwd, env: environment, encoding: 'utf8', timeout: 120_000 })
          assert.equal(status, 0, `${stdout}${stderr}`)
          return
        }
        // A server is there for the lines after it.
        if (started.length) return
        const child = spawn('bash', ['-ec', `exec ${line.replace(/\s+#.*/, '')}`], { cwd, env: environment, stdio: 'ignore' })
        started.push(child)
        for (let waited = 0; waited < 600 && !(await healthy(`http://127.0.0.1:${port}`)); waited += 1) {
          assert.equal(child.exitCode, null, 'it ended')
          await sleep(100)
        }
        assert.ok(await healthy(`http://127.0.0.1:${port}`))
      })
    }
  }
  assert.ok(ran >= 4, `${ran} commands ran`)
})
