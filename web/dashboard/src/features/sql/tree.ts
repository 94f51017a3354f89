import { identifier, qualified } from '@/lib/sql-text'
import type { Names } from './editor-core'

export interface TreeTable {
  name: string
  columns: string[]
  /** The text that a click inserts. */
  text: string
}

export interface TreeSchema {
  name: string
  tables: TreeTable[]
}

/** The text that is inserted for a table. A table in `public` is inserted without its schema. */
const textOf = (schema: string, table: string) => (schema === 'public' ? identifier(table) : qualified(schema, table))

/**
 * The schemas with their tables; `public` is first. With a search text, contains only the tables whose name, or whose columns' names, contain this
 * text.
 */
export function treeOf({ tables }: Names, find = ''): TreeSchema[] {
  const wanted = find.trim().toLowerCase()
  const has = (name: string) => name.toLowerCase().includes(wanted)
  const schemas = new Map<string, TreeTable[]>()
  for (const [schema, name, columns] of tables) {
    if (wanted !== '' && !has(name) && !columns.some(has) && !has(`${schema}.${name}`)) continue
    const found = schemas.get(schema) ?? []
    schemas.set(schema, found)
    found.push({ name, columns, text: textOf(schema, name) })
  }
  return [...schemas]
    .map(([name, found]) => ({ name, tables: found }))
    .sort((a, b) => Number(b.name === 'public') - Number(a.name === 'public') || a.name.localeCompare(b.name))
}
