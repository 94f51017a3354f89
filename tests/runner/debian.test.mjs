/**
 * Tests the Debian package. apt resolves the dependencies of the package with a package list of the test. The scripts of the package run with a test
 * program in place of `systemctl`, which stores in files whether the service is active and enabled. Expected values: Debian's policy, 6.5 and 9.3 (a
 * package does not start again what the administrator has stopped or disabled).
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'

const scripts = join(import.meta.dirname, '../../packaging/deb')
const systemctl = `#!/bin/sh
echo "$*" >> "$STATE/calls"
case "$*" in
  "enable "*) touch "$STATE/enabled" ;;
  "disable "*) rm -f "$STATE/enabled" ;;
  "start "*|"restart "*) [ ! -e "$STATE/broken" ] || exit 1; touch "$STATE/active" ;;
  "stop "*) rm -f "$STATE/active" ;;
  "is-active "*) [ -e "$STATE/active" ] ;;
esac
`
let root

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cloch-deb-'))
  for (const folder of ['bin', 'run/systemd/system', 'etc/cloch/project', 'state']) mkdirSync(join(root, folder), { recursive: true })
  for (const [name, text] of Object.entries({ systemctl, getent: '#!/bin/sh\n' })) {
    writeFileSync(join(root, 'bin', name), text)
    chmodSync(join(root, 'bin', name), 0o755)
  }
})
afterEach(() => rmSync(root, { recursive: true }))

/** Runs a script of the package. `root` is used in place of `/`. */
function run(script, ...words) {
  const text = readFileSync(join(scripts, script), 'utf8').replace(/(?<![\w.])\/(run|etc|var)\//g, `${root}/$1/`)
  const environment = { ...process.env, PATH: `${join(root, 'bin')}:${process.env.PATH}`, STATE: join(root, 'state') }
  const { status, stderr } = spawnSync('sh', ['-c', text, script, ...words], { encoding: 'utf8', env: environment })
  assert.equal(status, 0, stderr)
  return stderr
}
const is = (state) => existsSync(join(root, 'state', state))
const calls = () => readFileSync(join(root, 'state/calls'), 'utf8').trim().split('\n')

test('the first installation enables and starts the service', () => {
  run('postinst', 'configure', '')
  assert.deepEqual([is('enabled'), is('active')], [true, true])
})

test('an upgrade restarts a running service', () => {
  run('postinst', 'configure', '')
  run('prerm', 'upgrade', '0.2.0')
  assert.ok(is('active'), 'it serves until the new program is there')
  run('postinst', 'configure', '0.1.0')
  assert.ok(calls().includes('restart cloch.service'), String(calls()))
})

test('an upgrade neither starts nor enables a service that was stopped and disabled', () => {
  run('postinst', 'configure', '')
  rmSync(join(root, 'state/active'))
  rmSync(join(root, 'state/enabled'))
  assert.match(run('postinst', 'configure', '0.1.0'), /not started: systemctl start cloch/)
  assert.deepEqual([is('enabled'), is('active')], [false, false])
})

test('a removal stops the service; a later installation keeps a disabled service disabled', () => {
  run('postinst', 'configure', '')
  run('prerm', 'remove')
  run('postrm', 'remove')
  assert.deepEqual([is('enabled'), is('active')], [true, false])
  rmSync(join(root, 'state/enabled'))
  run('postinst', 'configure', '0.1.0')
  assert.equal(is('enabled'), false)
})

test('a purge removes the project and keeps the data', () => {
  mkdirSync(join(root, 'var/lib/cloch/data'), { recursive: true })
  assert.match(run('postrm', 'purge'), /var\/lib\/cloch is kept/)
  assert.deepEqual([existsSync(join(root, 'etc/cloch')), existsSync(join(root, 'var/lib/cloch/data'))], [false, true])
})

test('a service that does not start does not fail the installation, and the message names the log', () => {
  writeFileSync(join(root, 'state/broken'), '')
  assert.match(run('postinst', 'configure', ''), /journalctl -u cloch/)
})

const hasApt = spawnSync('apt-get', ['--version']).status === 0

/**
 * Returns the packages that `apt install cloch` installs. The archive has the PostgreSQL versions `offered`, and the machine has the versions
 * `installed`.
 */
function installs(offered, installed) {
  for (const folder of ['var/lib/apt/lists/partial', 'var/lib/dpkg', 'var/cache/apt/archives/partial', 'etc/apt/apt.conf.d', 'repository'])
    mkdirSync(join(root, folder), { recursive: true })
  const own = readFileSync(join(scripts, 'control'), 'utf8').replace('VERSION', '1').replace('ARCHITECTURE', 'all')
  // All machines in this test already have the other packages of Depends.
  const wanted = own.replace(/^Depends: .*(postgresql-15 .*)$/m, 'Depends: $1')
  const head = (name) => `Package: ${name}\nVersion: 1\nArchitecture: all\nMaintainer: a <a@b.example>\nDescription: a\n`
  const file = (name) => `Filename: ./${name}.deb\nSize: 1\nSHA256: ${'0'.repeat(64)}\n\n`
  const packages = offered.flatMap((version) => {
    const [server, postgis] = [`postgresql-${version}`, `postgresql-${version}-postgis-3`]
    return [head(server) + file(server), `${head(postgis)}Depends: ${server}\n${file(postgis)}`]
  })
  writeFileSync(join(root, 'repository/Packages'), wanted + file('cloch') + packages.join(''))
  const status = installed.map((version) => `${head(`postgresql-${version}`)}Status: install ok installed\n\n`)
  writeFileSync(join(root, 'var/lib/dpkg/status'), status.join(''))
  writeFileSync(join(root, 'etc/apt/sources.list'), `deb [trusted=yes] file:${root}/repository ./\n`)
  const options = [`Dir=${root}`, `Dir::State::status=${root}/var/lib/dpkg/status`, 'APT::Sandbox::User=root', 'APT::Architecture=amd64', 'APT::Install-Recommends=true']
  const apt = (...words) => {
    const command = [...options.flatMap((option) => ['-o', option]), ...words]
    const { status: code, stdout, stderr } = spawnSync('apt-get', command, { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } })
    assert.equal(code, 0, stderr)
    return stdout
  }
  apt('update')
  const lines = apt('--simulate', 'install', 'cloch').split('\n')
  return lines.filter((line) => line.startsWith('Inst ')).map((line) => line.split(' ')[1]).sort()
}

test('PostGIS is installed for the PostgreSQL of the machine, and for no other version', { skip: hasApt ? false : 'apt is not installed' }, () => {
  const [bookworm, noble, trixie, all] = [[15], [16], [17], [15, 16, 17, 18]]
  for (const [offered, installed, expected] of [
    [bookworm, [], ['cloch', 'postgresql-15', 'postgresql-15-postgis-3']],
    [noble, [], ['cloch', 'postgresql-16', 'postgresql-16-postgis-3']],
    [trixie, [], ['cloch', 'postgresql-17', 'postgresql-17-postgis-3']],
    [bookworm, [15], ['cloch', 'postgresql-15-postgis-3']],
    // The following archives include the packages of postgresql.org.
    [all, [], ['cloch', 'postgresql-15', 'postgresql-15-postgis-3']],
    [all, [15], ['cloch', 'postgresql-15-postgis-3']],
    [all, [17], ['cloch', 'postgresql-17-postgis-3']],
    [all, [18], ['cloch', 'postgresql-18-postgis-3']],
    // apt cannot know which of the installed versions Cloch uses, so it installs no recommended package.
    [all, [16, 18], ['cloch']],
  ])
    assert.deepEqual(installs(offered, installed), expected, `${offered} offered, ${installed} installed`)
})

/** A system account that is neither root nor in root's groups. It is used in place of the account `cloch`. */
const ACCOUNT = 65534
const hasAccounts = process.getuid() === 0 && spawnSync('setpriv', ['--version']).status === 0
test('the service cannot write to the project until the commands of installing.md allow it', { skip: hasAccounts ? false : 'needs root and setpriv' }, () => {
  // systemd makes the rest of the file system read-only for the service.
  const unit = readFileSync(join(scripts, 'cloch.service'), 'utf8')
  const project = /^ExecStart=.*--project (\S+)/m.exec(unit)[1]
  assert.match(unit, /^ProtectSystem=strict$/m)
  assert.match(unit, new RegExp(`^ReadWritePaths=-${project}$`, 'm'))

  const place = join(root, project)
  mkdirSync(join(place, 'migrations'))
  writeFileSync(join(place, 'config.toml'), '')
  for (const folder of ['', 'etc', 'etc/cloch']) chmodSync(join(root, folder), 0o755)
  const shell = (text) => {
    const { status, stderr } = spawnSync('sh', ['-ec', text.replaceAll(project, place).replace(/\bcloch (?=\/)|:cloch\b/g, (word) => word.replace('cloch', ACCOUNT))], { encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  }
  const as = (group, ...words) => spawnSync('setpriv', [`--reuid=${ACCOUNT}`, `--regid=${group}`, '--clear-groups', ...words]).status === 0
  const writable = (group = ACCOUNT) => ['', 'migrations', 'config.toml'].map((name) => as(group, 'test', '-w', join(place, name)))
  const postinst = readFileSync(join(scripts, 'postinst'), 'utf8')
  shell(postinst.match(/^ *ch(?:own|mod) -R .*$/gm).join('\n'))
  assert.deepEqual(writable(), [false, false, false])
  assert.ok(as(ACCOUNT, 'cat', join(place, 'config.toml')), 'the service reads it')

  const docs = readFileSync(join(scripts, '../../docs/installing.md'), 'utf8')
  shell(/### Let the dashboard write to the project[^]*?```sh\n([^]*?)```/.exec(docs)[1])
  assert.deepEqual(writable(), [true, true, true])
  assert.ok(!as(ACCOUNT - 1, 'cat', join(place, 'config.toml')), 'other accounts do not')
  shell(/`(chmod -R g-w [^`]*)` ends it/.exec(docs)[1])
  assert.deepEqual(writable(), [false, false, false])
})
