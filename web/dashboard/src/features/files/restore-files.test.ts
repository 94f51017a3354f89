import { expect, it } from 'vitest'
import type { Bucket } from './contract'
import { consequences, restoredText, restoreRequest, type FoundFile } from './restore-files'

const bucket = { id: 'a', versioning_status: 'DISABLED' } as Bucket
const gone: FoundFile = { name: 'a.txt', version: 'v1', size: 2048, mimetype: null, updated_at: null, now: null }
const replaced: FoundFile = { ...gone, name: 'b.txt', version: 'v2', now: { version: 'v3', size: 1, updated_at: null } }

it('describes the effects of a restore', () => {
  expect(consequences(bucket, [gone, replaced], '')).toEqual([
    '4.10 kB in 2 files.',
    'One deleted file comes back.',
    'One file is replaced; what they contain now is lost.',
  ])
  expect(consequences({ ...bucket, versioning_status: 'ENABLED' }, [replaced], 'b.txt').at(-1)).toContain('stays as a version')
  expect(consequences(bucket, [replaced], 'c.txt')).toEqual([
    expect.stringContaining('is stored as c.txt. b.txt stays as it is.'),
  ])
})

it('another name is possible only for a single file', () => {
  const one = restoreRequest('a', [replaced], 'c.txt')
  expect(one).toEqual({ bucket: 'a', files: [{ name: 'b.txt', version: 'v2', now: 'v3', to: 'c.txt' }] })
  expect(restoreRequest('a', [replaced], 'b.txt').files[0]?.to).toBeNull()
  expect(restoreRequest('a', [gone, replaced], 'c.txt').files.map(({ to }) => to)).toEqual([null, null])
})

it('counts restored files', () => {
  expect(restoredText({ restored: ['a'], failed: [] })).toBe('a is restored')
  expect(restoredText({ restored: ['a', 'b'], failed: [] })).toBe('2 files are restored')
})
