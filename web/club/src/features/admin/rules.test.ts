import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { itemSchema } from './checklist/rules'
import { contactSchema } from './contacts/rules'
import { departmentSchema } from './departments/rules'
import { fileKind } from './files/bucket'
import { downloadName } from './files/download-name'
import { guestSchema } from './guests/rules'
import { judgeSchema } from './judges/rules'
import { offlineSchema } from './offline/rules'
import { schoolSchema } from './schools/rules'
import { dueDate } from './shared/due-date'

function messages(schema: z.ZodType, value: object): string[] {
  const parsed = schema.safeParse(value)
  return parsed.success ? [] : parsed.error.issues.map(({ message }) => message)
}

const school = { name: 'A', location: '', phone: '', email: '', notes: '' }
const contact = { departments: ['d'], name: 'A', email: '', phone: '', position: '', status: 'not_contacted', notes: '' }
const guest = { name: 'A', email: '', phone: '', organization: '', status: 'invited', notes: '' }
const judge = { name: 'A', categories: ['music'], email: '', phone: '', notes: '' }
const item = { item_name: 'A', category: '', due_date: '', notes: '' }
const offline = { school_id: 's', category: 'artist', count: '0', notes: '' }

describe('rules of the records', () => {
  it.each<[string, z.ZodType, object, string[]]>([
    ['a school', schoolSchema, school, []],
    ['a school without a name', schoolSchema, { ...school, name: ' ' }, ['School name is required']],
    ['a school with a long name', schoolSchema, { ...school, name: 'x'.repeat(201) }, ['At most 200 characters']],
    ['a school with a long location', schoolSchema, { ...school, location: 'x'.repeat(201) }, ['At most 200 characters']],
    ['a school with a long phone', schoolSchema, { ...school, phone: 'x'.repeat(51) }, ['At most 50 characters']],
    ['a school with long notes', schoolSchema, { ...school, notes: 'x'.repeat(1001) }, ['At most 1000 characters']],
    ['a school with a wrong email', schoolSchema, { ...school, email: 'x' }, ['Invalid email']],
    ['a department of no school', departmentSchema, { school_id: '', name: 'A', notes: '' }, ['Please select a school']],
    ['a department without a name', departmentSchema, { school_id: 's', name: '', notes: '' }, ['Department name is required']],
    ['a contact', contactSchema, contact, []],
    ['a contact of no department', contactSchema, { ...contact, departments: [] }, ['Please select at least one department']],
    ['a contact without a name', contactSchema, { ...contact, name: '' }, ['Contact name is required']],
    ['a contact with a long position', contactSchema, { ...contact, position: 'x'.repeat(101) }, ['At most 100 characters']],
    ['a contact without a status', contactSchema, { ...contact, status: '' }, ['Please choose a status']],
    ['a guest without a name', guestSchema, { ...guest, name: '' }, ['Name is required']],
    ['a guest with a long organization', guestSchema, { ...guest, organization: 'x'.repeat(201) }, ['At most 200 characters']],
    ['a judge of nothing', judgeSchema, { ...judge, categories: [] }, ['Please select at least one category']],
    ['an item without a name', itemSchema, { ...item, item_name: '' }, ['Item name is required']],
    ['an item due on no day', itemSchema, { ...item, due_date: '2026-02-30' }, ['Invalid date']],
    ['no offline entries', offlineSchema, offline, []],
    ['fewer than no offline entries', offlineSchema, { ...offline, count: '-1' }, ['Count must be a positive number']],
    ['half an offline entry', offlineSchema, { ...offline, count: '1.5' }, ['Count must be a positive number']],
    ['as many offline entries as can be stored', offlineSchema, { ...offline, count: '999999' }, []],
    [
      'more offline entries than can be stored',
      offlineSchema,
      { ...offline, count: '1000000' },
      ['Count must be at most 999999'],
    ],
    ['offline entries of no school', offlineSchema, { ...offline, school_id: '' }, ['Please fill in all required fields']],
    ['offline entries of no award', offlineSchema, { ...offline, category: '' }, ['Please fill in all required fields']],
  ])('%s', (_name, schema, value, expected) => expect(messages(schema, value)).toEqual(expected))

  it('stores empty fields as null', () => {
    expect(schoolSchema.parse(school)).toEqual({ name: 'A', location: null, phone: null, email: null, notes: null })
  })
})

describe('names', () => {
  it.each([
    ['Zoë O’Neill-Grant', 'a/1760000000000-x.PNG', 0, 1, 'zo-o-neill-grant.png'],
    ['Rory Sinclair', 'a/1760000000000-x.pdf', 1, 2, 'rory-sinclair-2.pdf'],
    ['Rory Sinclair', 'a/nothing', 0, 1, 'rory-sinclair'],
  ])('a file of %s is saved as …', (name, path, index, count, expected) => {
    expect(downloadName(name, path, index, count)).toBe(expected)
  })

  it.each([
    ['a/b.JPG', 'image'],
    ['a/b.HEIC', 'image'],
    ['a/b.heif', 'image'],
    ['a/b.tif', 'image'],
    ['a/b.tiff', 'image'],
    ['a/b.svg', 'other'],
    ['a/b.mp3', 'audio'],
    ['a/b.pdf', 'pdf'],
  ])('%s: %s', (path, kind) => {
    expect(fileKind(path)).toBe(kind)
  })

  it('a due date has no time zone', () => {
    expect(dueDate('2026-11-03')).toBe('Nov 3, 2026')
    expect(dueDate(null)).toBe('-')
  })
})
