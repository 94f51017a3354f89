/** Unsaved changes of rows. They are a list, so that the last one can be undone; a pure module. */

export type Value = string | null | { default: true }
export type Key = Record<string, string>

export type Edit =
  { kind: 'set'; row: string; key: Key; column: string; value: Value } | { kind: 'delete'; row: string; key: Key }

/** Identifies a row among the edits. */
export const rowName = (key: Key) => JSON.stringify(key)

/** The edits, grouped by row. */
export function byRow(edits: readonly Edit[]): ReadonlyMap<string, readonly Edit[]> {
  const rows = new Map<string, Edit[]>()
  for (const edit of edits) rows.set(edit.row, [...(rows.get(edit.row) ?? []), edit])
  return rows
}

/** The unsaved value of a column: that of the last edit in the given edits of the row. */
export function edited(edits: readonly Edit[], column: string): Value | undefined {
  const last = edits.findLast((edit) => edit.kind === 'set' && edit.column === column)
  return last?.kind === 'set' ? last.value : undefined
}

export interface Change {
  kind: 'update' | 'delete' | 'insert'
  schema: string
  table: string
  key?: Key
  values?: Record<string, Value>
}

/** One change for each row, in the order in which the rows were first edited. For a deleted row, its updates are left out. */
export function toChanges(schema: string, table: string, edits: readonly Edit[]): Change[] {
  const rows = new Map<string, Change>()
  for (const edit of edits) {
    const known = rows.get(edit.row)
    if (edit.kind === 'delete') rows.set(edit.row, { kind: 'delete', schema, table, key: edit.key })
    else if (known?.kind !== 'delete')
      rows.set(edit.row, {
        kind: 'update',
        schema,
        table,
        key: edit.key,
        values: { ...known?.values, [edit.column]: edit.value },
      })
  }
  return [...rows.values()]
}
