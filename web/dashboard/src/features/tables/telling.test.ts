import { describe, expect, it } from 'vitest'
import type { TableColumn, TableDetail } from '@/lib/schema'
import { searches, tellingColumns } from './telling'

const column = (name: string, base: TableColumn['base'] = 'text') => ({ name, base, type: base }) as TableColumn

const users = {
  columns: [
    column('id', 'uuid'),
    column('aud'),
    column('encrypted_password'),
    column('email'),
    column('confirmation_token'),
    column('raw', 'json'),
    column('phone'),
    column('created_at', 'timestamptz'),
  ],
  foreign_keys: [],
} as unknown as TableDetail

const boats = {
  columns: [
    column('id', 'number'),
    column('school_id', 'number'),
    column('length', 'number'),
    column('remark'),
    column('name'),
  ],
  foreign_keys: [{ columns: ['school_id'] }],
} as unknown as TableDetail

describe('columns that describe a row', () => {
  it('are a name first, then texts, then types with an order; neither secrets nor other keys', () => {
    expect(tellingColumns(users, 'id').map(({ name }) => name)).toEqual(['email', 'phone', 'aud'])
    expect(tellingColumns(boats, 'id').map(({ name }) => name)).toEqual(['name', 'remark', 'length'])
  })
})

describe('the search', () => {
  it('searches texts, and the key if the text can be one', () => {
    expect(searches(boats, 'id', ' 7 ')).toEqual([
      { column: 'id', op: 'eq', value: '7' },
      { column: 'name', op: 'ilike', value: '%7%' },
      { column: 'remark', op: 'ilike', value: '%7%' },
    ])
    expect(searches(boats, 'id', 'gig').map(({ op }) => op)).toEqual(['ilike', 'ilike'])
  })

  it('searches neither names in a uuid, nor secrets', () => {
    expect(searches(users, 'id', 'ada').map(({ column: name }) => name)).toEqual(['email', 'phone', 'aud'])
    expect(searches(users, 'id', '00000000-0000-0000-0000-00000000000a')[0]).toEqual({
      column: 'id',
      op: 'eq',
      value: '00000000-0000-0000-0000-00000000000a',
    })
  })

  it('treats pattern characters literally', () => {
    expect(searches(boats, 'id', String.raw`5%_\ `)[0]?.value).toBe(String.raw`%5\%\_\\%`)
  })
})
