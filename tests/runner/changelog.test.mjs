/** scripts/changelog combines fragments into a section, loses none, and refuses invalid ones. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'

const root = resolve(import.meta.dirname, '../..')
const folders = []
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true })))

/** Creates a repository with a changelog and fragments. */
function repository(changelog, fragments) {
  const folder = mkdtempSync(join(tmpdir(), 'cloch-changelog-'))
  folders.push(folder)
  for (const name of ['scripts', 'changelog.d']) mkdirSync(join(folder, name))
  copyFileSync(join(root, 'scripts/changelog'), join(folder, 'scripts/changelog'))
  writeFileSync(join(folder, 'CHANGELOG.md'), changelog)
  writeFileSync(join(folder, 'changelog.d/README.md'), 'not a fragment')
  for (const [name, text] of Object.entries(fragments)) writeFileSync(join(folder, 'changelog.d', name), text)
  const run = (...words) => {
    const { status, stdout, stderr } = spawnSync('python3', [join(folder, 'scripts/changelog'), ...words], { encoding: 'utf8' })
    return { status, output: stdout + stderr }
  }
  return { run, text: () => readFileSync(join(folder, 'CHANGELOG.md'), 'utf8'), left: () => readdirSync(join(folder, 'changelog.d')) }
}

test('a fragment with a wrong name or form stops the release, and nothing is changed', () => {
  for (const [name, text] of [
    ['status.md', '- a\n'],
    ['Status.added.md', '- a\n'],
    ['status.new.md', '- a\n'],
    ['status.added.md', 'a sentence\n'],
    ['status.added.md', '  a continuation of nothing\n'],
    ['status.added.md', '- a\n\n## 9.9.9\n'],
    ['status.added.md', ''],
  ]) {
    const { run, text: now, left } = repository('# Changelog\n\n## Unreleased\n', { [name]: text })
    for (const words of [['check'], ['release', '1.0.0', '2026-01-31']]) {
      const { status, output } = run(...words)
      assert.deepEqual([status, output.includes(name)], [1, true], `${name}: ${output}`)
    }
    assert.deepEqual([now(), left().length], ['# Changelog\n\n## Unreleased\n', 2])
  }
})

test('a release contains the unreleased changes and all fragments, above the older versions', () => {
  const { run, text, left } = repository('# Changelog\n\n## Unreleased\n\n- old way\n\n## 0.1.0 (2026-01-01)\n\n- first\n', {
    'b-fix.fixed.md': '- a defect\n  in two lines\n',
    'a-thing.added.md': '- a thing\n- another\n',
    'hole.security.md': '- a hole\n',
  })
  assert.equal(run('check').status, 0)
  assert.equal(run('release', '0.2.0', '2026-02-01').status, 0)
  const body = '- old way\n\n### Security\n\n- a hole\n\n### Added\n\n- a thing\n- another\n\n### Fixed\n\n- a defect\n  in two lines'
  assert.equal(text(), `# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-02-01)\n\n${body}\n\n## 0.1.0 (2026-01-01)\n\n- first\n`)
  assert.deepEqual(left(), ['README.md'])
  assert.deepEqual(run('notes', '0.2.0'), { status: 0, output: `${body}\n` })
  assert.deepEqual(run('notes', '0.1.0'), { status: 0, output: '- first\n' })
})

test('a release without changes, of an existing version, or with an invalid version is refused', () => {
  const { run } = repository('# Changelog\n\n## Unreleased\n\n## 0.1.0 (2026-01-01)\n\n- first\n', { 'x.added.md': '- x\n' })
  for (const words of [['release', '0.1.0'], ['release', '1.0'], ['release', '1.0.0', 'today'], ['notes', '9.0.0'], ['release'], []]) {
    assert.equal(run(...words).status, 1, words.join(' '))
  }
  assert.equal(repository('# Changelog\n\n## Unreleased\n', {}).run('release', '1.0.0').status, 1)
  assert.equal(repository('# Changelog\n', { 'x.added.md': '- x\n' }).run('release', '1.0.0').status, 1)
})

test('the fragments of this repository have the right form', () => {
  const { status, stderr } = spawnSync(join(root, 'scripts/changelog'), ['check'], { encoding: 'utf8' })
  assert.deepEqual([status, stderr], [0, ''])
})
