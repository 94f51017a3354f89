import { expect, it } from 'vitest'
import { diffsOf, editedText, newPathProblem, pathsOf, withEdit } from './edits'

const source = {
  entrypoint: 'a/index.ts',
  files: [
    { path: 'a/index.ts', bytes: 3, text: 'one' },
    { path: 'a/logo.png', bytes: 9, text: null },
  ],
  env_files: [],
  revision: 'r1',
  serves_versions: true,
}

it('does not count a text that was changed back as an edit', () => {
  const edits = withEdit(source, {}, 'a/index.ts', 'two')
  expect(edits).toEqual({ 'a/index.ts': 'two' })
  expect(editedText(source, edits, 'a/index.ts')).toBe('two')
  expect(withEdit(source, edits, 'a/index.ts', 'one')).toEqual({})
  expect(withEdit(source, edits, 'a/index.ts', undefined)).toEqual({})
})

it('adds and removes files', () => {
  const added = withEdit(source, {}, 'a/new.ts', '')
  expect(added).toEqual({ 'a/new.ts': '' })
  expect(pathsOf(source, added)).toEqual(['a/index.ts', 'a/logo.png', 'a/new.ts'])
  expect(withEdit(source, added, 'a/new.ts', null)).toEqual({})
  const removed = withEdit(source, {}, 'a/logo.png', null)
  expect(removed).toEqual({ 'a/logo.png': null })
  expect(editedText(source, removed, 'a/logo.png')).toBeUndefined()
})

it('refuses invalid paths', () => {
  const taken = ['a/index.ts']
  for (const path of ['', '/a.ts', 'a/', 'a//b.ts', '../a.ts', 'a/./b.ts', 'a/.env', 'a', 'a/index.ts', 'a/index.ts/b.ts'])
    expect(newPathProblem(path, taken), path).toBeDefined()
  expect(newPathProblem('a/lib/b.ts', taken)).toBeUndefined()
})

it('shows the change of each file', () => {
  const noEnd = '\\ No newline at end of file'
  expect(diffsOf(source, { 'b.ts': 'x', 'a/index.ts': null })).toEqual([
    { path: 'a/index.ts', lines: ['@@ -1,1 +0,0 @@', '-one', noEnd], isRemoved: true },
    { path: 'b.ts', lines: ['@@ -0,0 +1,1 @@', '+x', noEnd], isRemoved: false },
  ])
})
