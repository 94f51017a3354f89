import { describe, expect, it } from 'vitest'
import type { DiagramTable } from '@/lib/catalog'
import { draw } from './drawing'

const column = (name: string) => ({ name, type: 'bigint', nullable: false, key: name === 'id' })
const table = (name: string, columns: string[], to: [column: string, schema: string, table: string][] = []): DiagramTable => ({
  name,
  partitioned: false,
  columns: columns.map(column),
  foreign_keys: to.map(([from, schema, other]) => ({
    name: `${name}_${from}_fkey`,
    columns: [from],
    schema,
    table: other,
    referenced: ['id'],
  })),
})

describe('draw', () => {
  it('draws a line for each foreign key, also to a table of another schema and to itself', () => {
    const { boxes, lines } = draw('public', [
      table(
        'boats',
        ['id', 'harbour_id', 'owner_id', 'parent_id'],
        [
          ['harbour_id', 'public', 'harbours'],
          ['owner_id', 'auth', 'users'],
          ['parent_id', 'public', 'boats'],
        ],
      ),
      table('harbours', ['id']),
    ])
    expect(boxes.map(({ name, isOutside }) => [name, isOutside])).toEqual([
      ['boats', false],
      ['harbours', false],
      ['users', true],
    ])
    expect(boxes[0]?.references).toEqual(['harbours', 'auth.users', 'boats'])
    expect(boxes[0]?.columns.map(({ refers }) => refers)).toEqual([false, true, true, true])
    expect(lines).toHaveLength(3)
    for (const { path } of lines) expect(path).toMatch(/^M[-\d.\sMLCv]+$/)
  })

  it('distinguishes tables whose names contain dots', () => {
    const { boxes } = draw('a', [table('b.c', ['id'], [['id', 'a.b', 'c']])])
    expect(boxes).toHaveLength(2)
  })

  it('draws the first columns of a wide table, and the number of the others', () => {
    const [box] = draw('public', [
      table(
        'wide',
        Array.from({ length: 100 }, (_, index) => `c${index}`),
      ),
    ]).boxes
    expect(box?.columns).toHaveLength(40)
    expect(box?.hidden).toBe(60)
    expect(box?.height).toBeLessThan(1100)
  })
})
