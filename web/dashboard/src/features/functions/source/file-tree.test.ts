import { expect, it } from 'vitest'
import { treeOf } from './file-tree'

it('joins folders that contain only one folder', () => {
  const tree = treeOf([
    'supabase/functions/hello/index.ts',
    'supabase/functions/hello/lib/b.ts',
    'supabase/functions/hello/a.ts',
  ])
  expect(tree.folders).toHaveLength(1)
  const [hello] = tree.folders
  expect(hello).toMatchObject({ name: 'supabase/functions/hello', path: 'supabase/functions/hello' })
  expect(hello?.files.map(({ name }) => name)).toEqual(['a.ts', 'index.ts'])
  expect(hello?.folders.map(({ name, path }) => [name, path])).toEqual([['lib', 'supabase/functions/hello/lib']])
})

it('keeps files without a folder, and sibling folders', () => {
  const tree = treeOf(['index.ts', 'functions/b/index.ts', 'functions/_shared/cors.ts'])
  expect(tree.files).toEqual([{ name: 'index.ts', path: 'index.ts' }])
  expect(tree.folders[0]?.folders.map(({ name }) => name)).toEqual(['_shared', 'b'])
})
