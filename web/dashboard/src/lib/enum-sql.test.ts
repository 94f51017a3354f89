import { describe, expect, it } from 'vitest'
import { enumSql } from './enum-sql'

describe('enumSql', () => {
  const type = { schema: 'public', name: 'Mood' }

  it('is empty if nothing changes', () => {
    expect(enumSql(type, ['calm', 'wild'], ['calm', 'wild'], '', '')).toBe('')
  })

  it('adds a value at its position before it renames others', () => {
    expect(enumSql(type, ['calm', 'wild'], ['calm', "wi'ld"], 'brisk', 'wild')).toBe(
      `alter type public."Mood" add value 'brisk' before 'wild';\nalter type public."Mood" rename value 'wild' to 'wi''ld';`,
    )
  })
})
