import { describe, expect, it } from 'vitest'
import { entryFields } from '../../entries/edit/entry-fields'
import { changedColumns, fieldsSchema, toValues } from './field-rules'

const fields = entryFields.artist
const row = {
  entrant_name: 'Isla',
  age: 13,
  category: 'Intermediate',
  parent_guardian_email: 'p@example.org',
  school_id: null,
  artwork_title: null,
}
const values = toValues(fields, row)

describe('a record being edited', () => {
  it('contains texts, and is unchanged after the conversion back', () => {
    expect(values).toMatchObject({ age: '13', category: 'intermediate', artwork_title: '', school_id: '' })
    const input = fieldsSchema(fields).parse(values)
    expect(input).toMatchObject({ entrant_name: 'Isla', age: 13, artwork_title: null, school_id: null })
    expect(changedColumns(input, values, { ...values, medium: 'Ink' })).toEqual({ medium: null })
    expect(changedColumns(input, values, values)).toEqual({})
  })

  it.each([
    ['entrant_name', ' ', 'Name is missing'],
    ['parent_guardian_email', 'nobody', 'Invalid email'],
    ['parent_guardian_email', '', 'Parent or guardian: email is missing'],
    ['age', '18', 'Age must be between 5 and 17'],
    ['age', 'ten', 'Age must be between 5 and 17'],
    ['medium', 'x'.repeat(201), 'At most 200 characters'],
  ])('refuses %s "%s"', (name, value, message) => {
    const result = fieldsSchema(fields).safeParse({ ...values, [name]: value })
    expect(result.error?.issues.map((issue) => issue.message)).toContain(message)
  })
})
