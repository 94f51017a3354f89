import { describe, expect, it } from 'vitest'
import { isMigrationName, keepsByDefault, migrationName } from './migrations'

describe('migrations', () => {
  it('are the default only if the files exist and can be written', () => {
    expect(keepsByDefault({ hasFiles: true, isWritable: true })).toBe(true)
    expect(keepsByDefault({ hasFiles: true, isWritable: false })).toBe(false)
    expect(keepsByDefault({ hasFiles: false, isWritable: true })).toBe(false)
  })

  it('have names that the server accepts, whatever the name of the object', () => {
    for (const [text, name] of [
      ['create_"; drop', 'create_drop'],
      ['_boats_', 'boats'],
      ['Größe', 'gr_e'],
      ['船', 'change'],
      ['', 'change'],
      ['x'.repeat(100), 'x'.repeat(80)],
    ] as const) {
      expect(migrationName(text)).toBe(name)
      expect(isMigrationName(migrationName(text))).toBe(true)
    }
    for (const wrong of ['', '_a', 'A', '../a', 'a b', 'x'.repeat(81)]) expect(isMigrationName(wrong)).toBe(false)
  })
})
