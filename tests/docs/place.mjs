/** A folder for the test of one page. It contains a project, and the class runs the project's server and the page's blocks from top to bottom. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { deno } from '../support/deno.mjs'
import { copyPrepared } from '../support/prepared.mjs'
import { binary, freePort, healthy, makeProject, removePlace, sleep, start } from '../support/program.mjs'
import { root } from './pages.mjs'
import { merged } from './toml.mjs'

/** The tutorial's table. Other pages use it too. */
const NOTES = /-- supabase\/migrations\/\d+_notes\.sql\n[\s\S]*?(?=```)/.exec(readFileSync(join(root, 'docs/start.md'), 'utf8'))[0]

/** A picture of one pixel. */
const PICTURE = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

/** Matches a comment that represents a key press in the server's terminal. */
const STOP = /^# stop the server/

export class Place {
  constructor(folder) {
    this.folder = folder
    this.home = join(folder, 'home')
    this.work = join(this.home, 'notes')
    this.bin = join(folder, 'bin')
    this.state = join(folder, 'shell')
    this.output = join(folder, 'output')
    // `url`: URL of the API. `appUrl`: URL of the app that a page starts.
    this.url = ''
    this.appUrl = ''
  }

  /**
   * Creates a folder with the tutorial's project. Its first start uses a copy of a prepared data folder. Without `hasProject`, the folder is empty.
   */
  static async make({ hasProject = true } = {}) {
    const place = new Place(mkdtempSync(join(tmpdir(), 'cloch-page-')))
    execFileSync('chmod', ['755', place.folder])
    for (const folder of [place.home, place.bin]) mkdirSync(folder)
    if (hasProject) mkdirSync(place.work)
    writeFileSync(join(place.folder, 'picture.png'), PICTURE)
    symlinkSync(binary, join(place.bin, 'cloch'))
    symlinkSync(deno, join(place.bin, 'deno'))
    symlinkSync(root, join(place.home, 'cloch'))
    place.port = await freePort()
    place.databasePort = await freePort()
    place.url = `http://127.0.0.1:${place.port}`
    place.environment = {
      ...process.env, HOME: place.home, PATH: `${place.bin}:${process.env.PATH}`, CLOCH_DENO: deno, A_PICTURE: join(place.folder, 'picture.png'),
      CLOCH_ALLOW_PATHS: place.folder, CLOCH_BACKUP_PASSPHRASE: 'tide-granite-lantern-osprey-40',
      NEXT_TELEMETRY_DISABLED: '1', npm_config_prefer_offline: 'true', npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME ?? '/root', '.npm'),
    }
    if (hasProject) {
      place.shell('cloch init')
      place.write('supabase/migrations/20260101000000_notes.sql', NOTES)
      await place.prepareData()
      await place.start('cloch start')
    }
    return place
  }

  /** Copies a prepared data folder for the first start, which saves seconds. */
  prepareData() {
    return copyPrepared({ data: join(this.work, '.cloch') }, binary, 'empty', firstStart)
  }

  /** Replaces the ports in the text of a block by the ports of this place. */
  own(text) {
    return text.replaceAll('127.0.0.1:54321', `127.0.0.1:${this.port}`).replaceAll('/mnt/backup', join(this.folder, 'backup'))
  }

  write(path, text) {
    const file = join(this.work, path)
    mkdirSync(dirname(file), { recursive: true })
    const isMerged = path.endsWith('.toml') && existsSync(file)
    writeFileSync(file, this.own(isMerged ? merged(readFileSync(file, 'utf8'), text) : text))
  }

  /** Sets the project's ports to the ports of this place, regardless of the ports that `cloch init` has written. */
  usePorts() {
    const file = join(this.work, 'supabase/config.toml')
    if (!existsSync(file)) return
    const text = readFileSync(file, 'utf8').replaceAll('127.0.0.1:54321', `127.0.0.1:${this.port}`)
    writeFileSync(file, text.replace(/^port = 54321$/m, `port = ${this.port}`).replace(/^(?:# )?port = 54322$/m, `port = ${this.databasePort}`))
  }

  /** Runs shell lines in the folder in which the previous lines ended, with the variables that these lines exported. */
  shell(lines, { environment = {} } = {}) {
    const script = `set -eo pipefail\n[ -e "${this.state}" ] && . "${this.state}"\n${lines}\n{ export -p; printf 'cd %q\\n' "$PWD"; } > "${this.state}"\n`
    const { status, stdout, stderr, error } = spawnSync('bash', ['-c', script], { cwd: existsSync(this.work) ? this.work : this.home, env: { ...this.environment, ...environment }, encoding: 'utf8', timeout: 600_000 })
    if (error) throw error
    if (status !== 0) throw new Error(`${lines}\nended with ${status}\n${stdout}${stderr}`)
    this.usePorts()
    // A person would type the next command only after some time. Meanwhile the server reads the new schema.
    if (/cloch db migrate/.test(lines)) spawnSync('sleep', ['1'])
    return `${stdout}${stderr}`
  }

  async start(line) {
    await this.stop()
    const log = openSync(this.output, 'a')
    const script = `[ -e "${this.state}" ] && . "${this.state}"\nexec ${line.replace(/\s+#.*/, '')}`
    this.child = spawn('bash', ['-c', script], { cwd: this.work, env: this.environment, stdio: ['ignore', log, log] })
    for (let waited = 0; !(await healthy(this.url)); waited += 1) {
      if (this.child.exitCode !== null || waited > 1800) throw new Error(`${line}: is not ready\n${readFileSync(this.output, 'utf8')}`)
      await sleep(100)
    }
    this.readKeys(line)
  }

  /**
   * Starts the app's own server with a script of its package.json, and waits until the server returns the page. `flags`: the options of this server.
   */
  async startApp(script = 'start', flags = ['--strictPort', '--host', '127.0.0.1']) {
    await this.stopApp()
    const port = await freePort()
    const log = openSync(this.output, 'a')
    const words = ['run', script, '--', '--port', String(port), ...flags]
    this.app = spawn('npm', words, { cwd: this.work, env: this.environment, stdio: ['ignore', log, log], detached: true })
    this.appUrl = `http://127.0.0.1:${port}/`
    for (let waited = 0; !(await fetch(this.appUrl).then(({ ok }) => ok, () => false)); waited += 1) {
      if (this.app.exitCode !== null || waited > 900) throw new Error(`npm run ${script}: no page\n${readFileSync(this.output, 'utf8')}`)
      await sleep(100)
    }
  }

  async stopApp() {
    if (!this.app) return
    const ended = this.app.exitCode === null && this.app.signalCode === null ? new Promise((done) => this.app.once('exit', done)) : undefined
    process.kill(-this.app.pid)
    await ended
    this.app = undefined
  }

  /** Reads the keys of the server that a line has started. The line contains the options for the folders. */
  readKeys(line) {
    const flags = [...line.matchAll(/--(?:data|project) \S+/g)].flatMap(([flag]) => flag.split(' '))
    const text = execFileSync(binary, ['status', '-o', 'json', ...flags], { cwd: this.work, env: this.environment, encoding: 'utf8' })
    this.keys = JSON.parse(text)
    Object.assign(this.environment, this.keys)
  }

  async stop() {
    if (!this.child || this.child.exitCode !== null) return
    const ended = new Promise((done) => this.child.once('exit', done))
    this.child.kill('SIGTERM')
    await ended
  }

  /** Runs a block of shell lines. `cloch start` runs in a separate terminal. A comment `# => text` is the expected output of the lines before it. */
  async runShell(text, isListed = () => false) {
    let pending = []
    let printed = ''
    let ran = 0
    const flush = () => {
      if (pending.some((line) => line.trim() && !line.startsWith('#'))) printed += this.shell(pending.join('\n'))
      pending = []
    }
    for (const line of this.own(text).replaceAll(/\\\n\s*/g, '').split('\n')) {
      const expected = /^# => (.*)$/.exec(line)?.[1]
      if (expected) {
        flush()
        if (!printed.includes(expected)) throw new Error(`printed\n${printed}\ninstead of ${expected}`)
      } else if (STOP.test(line)) {
        flush()
        await this.stop()
      } else if (isListed(line)) continue
      else if (/^npm start$/.test(line)) {
        flush()
        await this.startApp()
        ran += 1
      }
      else if (/^cloch start\b/.test(line)) {
        flush()
        await this.start(line)
        ran += 1
      } else {
        if (line.trim() && !line.startsWith('#')) ran += 1
        pending.push(line)
      }
    }
    flush()
    return ran
  }

  /** Runs SQL as the project's owner. */
  sql(text) {
    const { status, stdout, stderr } = spawnSync('psql', ['-X', '-v', 'ON_ERROR_STOP=1', '-f', '-', this.keys.DB_URL], { input: text, encoding: 'utf8', env: this.environment })
    if (status !== 0) throw new Error(`${stdout}${stderr}`)
  }

  async remove() {
    await this.stop()
    await this.stopApp()
    for (const data of ['.cloch', 'data', 'restored', 'fresh']) if (existsSync(join(this.work, data))) removePlace({ folder: join(this.work, data), data: join(this.work, data) })
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Creates a data folder: starts the program with an empty project and stops it. */
async function firstStart() {
  const server = await start(await makeProject({ from: null, fresh: true }))
  await server.stop()
  return server
}

