/** The packages: what the program of the npm package does, and whether systemd accepts the service file. */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'

const packaging = resolve(import.meta.dirname, '../../packaging')
const platform = `${process.platform}-${process.arch}`
const folder = mkdtempSync(join(tmpdir(), 'cloch-packages-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Installs the packages in the folders that npm would use, with a script in place of the program. */
function install(name, script) {
  const modules = join(folder, name, 'node_modules')
  const [shim, own] = [join(modules, 'cloch'), join(modules, '@cloch', platform)]
  cpSync(join(packaging, 'npm/cloch'), shim, { recursive: true })
  mkdirSync(join(own, 'bin'), { recursive: true })
  execFileSync('node', [join(packaging, 'npm/stamp.mjs'), '1.2.3', platform, shim, own])
  writeFileSync(join(own, 'bin/cloch'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(own, 'bin/cloch'), 0o755)
  return { shim, own, command: join(shim, 'bin/cloch.js') }
}

test('both packages have the same version, and the platform package names its platform', () => {
  const { shim, own } = install('versions', 'true')
  const read = (path) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
  const [one, other] = [read(shim), read(own)]
  assert.deepEqual([one.version, one.optionalDependencies[`@cloch/${platform}`]], ['1.2.3', '1.2.3'])
  assert.deepEqual([other.name, other.version, other.os, other.cpu], [`@cloch/${platform}`, '1.2.3', [process.platform], [process.arch]])
  for (const range of Object.values(one.optionalDependencies)) assert.match(range, /^\d/, 'pinned')
})

test('both packages name the repository if the release does', () => {
  const read = (path) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')).repository
  delete process.env.CLOCH_REPOSITORY
  const without = install('no-repository', 'true')
  assert.deepEqual([read(without.shim), read(without.own)], [undefined, undefined])
  process.env.CLOCH_REPOSITORY = 'https://github.com/owner/name'
  const named = install('repository', 'true')
  delete process.env.CLOCH_REPOSITORY
  const expected = { type: 'git', url: 'git+https://github.com/owner/name.git' }
  assert.deepEqual([read(named.shim), read(named.own)], [expected, expected])
})

test('arguments, exit code and signals are those of the program', { timeout: 60_000 }, async () => {
  const { command } = install('run', 'echo "$@"; exit 7')
  const { status, stdout } = spawnSync('node', [command, 'start', '--port', '1 2'], { encoding: 'utf8' })
  assert.deepEqual([status, stdout], [7, 'start --port 1 2\n'])
  const waiting = install('signal', 'trap "echo stopped; exit 0" TERM; echo ready; while :; do sleep 0.05; done')
  const child = spawn('node', [waiting.command], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (piece) => {
    output += piece
    if (output === 'ready\n') child.kill('SIGTERM')
  })
  assert.equal(await new Promise((done) => child.once('close', done)), 0)
  assert.equal(output, 'ready\nstopped\n')
})

test('the server stops with the npx that started it', { timeout: 60_000 }, async (context) => {
  // The program records its end in a file, because its output ends when the shell ends.
  const script = (file) => `trap "echo stopped > ${file}; exit 0" TERM; echo ready; while :; do sleep 0.05; done`
  const ends = async (child, file, kill) => {
    let output = ''
    child.stdout.on('data', (piece) => (output += piece))
    for (let waited = 0; waited < 600 && !output.includes('ready'); waited += 1) await new Promise((done) => setTimeout(done, 50))
    assert.match(output, /ready/)
    kill()
    for (let waited = 0; waited < 200 && !existsSync(file); waited += 1) await new Promise((done) => setTimeout(done, 50))
    return existsSync(file)
  }
  await context.test('a shell of npm that ends without forwarding the signal', async () => {
    const file = join(folder, 'shell-stopped')
    const { command } = install('shell', script(file))
    const environment = { ...process.env, npm_lifecycle_event: 'npx' }
    const child = spawn('sh', ['-c', `node ${command}; true`], { stdio: ['ignore', 'pipe', 'inherit'], env: environment })
    assert.ok(await ends(child, file, () => child.kill('SIGTERM')))
  })
  await context.test('npx itself', async () => {
    const file = join(folder, 'npx-stopped')
    const { shim } = install('npx', script(file))
    const bin = join(shim, '../.bin')
    mkdirSync(bin)
    symlinkSync(join(shim, 'bin/cloch.js'), join(bin, 'cloch'))
    chmodSync(join(shim, 'bin/cloch.js'), 0o755)
    writeFileSync(join(folder, 'npx/package.json'), '{"private":true}')
    const child = spawn('npx', ['--no', 'cloch', 'start'], { cwd: join(folder, 'npx'), stdio: ['ignore', 'pipe', 'inherit'] })
    assert.ok(await ends(child, file, () => child.kill('SIGTERM')))
  })
  await context.test('without npm, the server outlives its shell', async () => {
    const file = join(folder, 'job-stopped')
    const { command } = install('job', `echo $$ > ${file}.pid; ${script(file)}`)
    const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')))
    const child = spawn('sh', ['-c', `node ${command}; true`], { stdio: ['ignore', 'pipe', 'inherit'], env: environment })
    let isKilled = false
    setTimeout(() => {
      isKilled = true
      process.kill(Number(readFileSync(`${file}.pid`, 'utf8')), 'SIGTERM')
    }, 4000)
    assert.ok(await ends(child, file, () => child.kill('SIGTERM')))
    assert.ok(isKilled)
  })
})

test('a platform without a package causes an error message', () => {
  const { own, command } = install('missing', 'true')
  rmSync(own, { recursive: true })
  const { status, stderr } = spawnSync('node', [command], { encoding: 'utf8' })
  assert.equal(status, 1)
  assert.match(stderr, new RegExp(`no package @cloch/${platform}`))
})

test('the shim uses the Deno that was installed with it, and none from a parent folder', () => {
  const { shim, command } = install('deno', 'echo "deno: $CLOCH_DENO"')
  const put = (modules) => {
    const package_ = join(modules, `@deno/${platform}-glibc`)
    mkdirSync(package_, { recursive: true })
    writeFileSync(join(package_, 'package.json'), '{}')
    return join(package_, 'deno')
  }
  const named = (env = {}) => spawnSync('node', [command], { encoding: 'utf8', env: { ...process.env, CLOCH_DENO: '', ...env } }).stdout
  put(join(folder, 'node_modules'))
  assert.equal(named(), 'deno: \n', 'above')
  const beside = put(join(shim, '..'))
  assert.equal(named(), `deno: ${beside}\n`)
  assert.equal(named({ CLOCH_DENO: '/own/deno' }), 'deno: /own/deno\n')
})

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
test('systemd accepts the service, and its access is restricted', { skip: hasSystemd ? false : 'systemd is not installed' }, () => {
  const unit = join(folder, 'cloch.service')
  const text = readFileSync(join(packaging, 'deb/cloch.service'), 'utf8').replace('/usr/bin/cloch start', '/bin/true start')
  writeFileSync(unit, text)
  const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
  assert.doesNotMatch(stderr, /cloch\.service/)
  const security = spawnSync('systemd-analyze', ['security', '--offline=yes', unit], { encoding: 'utf8' }).stdout
  const exposure = Number(/exposure level for cloch\.service: ([\d.]+)/.exec(security)?.[1])
  assert.ok(exposure < 2.5, `exposure ${exposure} of 10`)
})
