/** scripts/merge-release combines the files of all platforms in one folder. It refuses a file that was changed after its build. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'

import { publicKey, verified } from '../../packaging/minisign.mjs'

const script = resolve(import.meta.dirname, '../../scripts/merge-release')
const folder = mkdtempSync(join(tmpdir(), 'cloch-merge-'))
after(() => rmSync(folder, { recursive: true }))

/** Creates a folder as scripts/release does. */
function built(name, platform, shim = 'the command') {
  const path = join(folder, name)
  mkdirSync(path)
  const files = { [`cloch-1.2.3-${platform}.tar.xz`]: platform, 'cloch-1.2.3.tgz': shim, 'sbom.cdx.json': `{"${platform}":1}`, 'licences.txt': platform, 'version.txt': platform }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text)
  execFileSync('bash', ['-c', 'sha256sum -- * > SHA256SUMS'], { cwd: path })
  return path
}
const merge = (out, folders, key = '') => spawnSync(script, [join(folder, out), ...folders], { encoding: 'utf8', env: { ...process.env, CLOCH_SIGNING_KEY: key } })

test('a changed, missing or different file is refused, and nothing is left behind', () => {
  const changed = built('changed', 'linux-x64')
  writeFileSync(join(changed, 'licences.txt'), 'other')
  const missing = built('missing', 'linux-x64')
  rmSync(join(missing, 'version.txt'))
  const unsummed = built('unsummed', 'linux-x64')
  rmSync(join(unsummed, 'SHA256SUMS'))
  const [one, other] = [built('one', 'linux-x64'), built('other', 'linux-arm64', 'another command')]
  for (const [folders, message] of [
    [[changed], /checksum is wrong/],
    [[missing], /checksum is wrong/],
    [[unsummed], /SHA256SUMS is missing/],
    [[one, other], /cloch-1\.2\.3\.tgz differs/],
    [[], /no folder/],
  ]) {
    const { status, stderr } = merge('refused', folders)
    assert.notEqual(status, 0)
    assert.match(stderr, message)
    if (folders.length > 0) assert.ok(!existsSync(join(folder, 'refused')))
    rmSync(join(folder, 'refused'), { recursive: true, force: true })
  }
})

test('the files of two platforms are in one folder, and the signature covers all checksums', () => {
  const key = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' })
  const { status, stderr } = merge('all', [built('x64', 'linux-x64'), built('arm64', 'linux-arm64')], key)
  assert.equal(status, 0, stderr)
  const all = join(folder, 'all')
  assert.deepEqual(readdirSync(all).sort(), [
    'SHA256SUMS',
    'SHA256SUMS.minisig',
    'cloch-1.2.3-linux-arm64.tar.xz',
    'cloch-1.2.3-linux-x64.tar.xz',
    'cloch-1.2.3.tgz',
    'licences-linux-arm64.txt',
    'licences-linux-x64.txt',
    'sbom-linux-arm64.cdx.json',
    'sbom-linux-x64.cdx.json',
    'version-linux-arm64.txt',
    'version-linux-x64.txt',
  ])
  execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: all })
  assert.equal(readFileSync(join(all, 'SHA256SUMS'), 'utf8').trim().split('\n').length, 9)
  const comment = verified(readFileSync(join(all, 'SHA256SUMS')), readFileSync(join(all, 'SHA256SUMS.minisig'), 'utf8'), publicKey(key))
  assert.equal(comment, 'cloch-1.2.3')
})

test('without a key there is no signature, and the script reports this', () => {
  const { status, stderr } = merge('unsigned', [built('single', 'linux-x64')])
  assert.deepEqual([status, /not signed/.test(stderr), existsSync(join(folder, 'unsigned/SHA256SUMS.minisig'))], [0, true, false])
})
