/** Unsaved changes of rows. They are a list, so that the last change can be undone. This module has no side effects. */

export type Value = string | null | { default: true }
export type Key = Record<string, string>

export type Edit =
  { kind: 'set'; row: string; key: Key; column: string; value: Value } | { kind: 'delete'; row: string; key: Key }

/** A text that identifies a row in the list of edits. */
export const rowName = (key: Key) => JSON.stringify(key)

/** The edits, grouped by row. */
export function byRow(edits: readonly Edit[]): ReadonlyMap<string, readonly Edit[]> {
  const rows = new Map<string, Edit[]>()
  for (const edit of edits) rows.set(edit.row, [...(rows.get(edit.row) ?? []), edit])
  return rows
}

/** The unsaved value of a column, according to the edits of a row. If there are several edits of the column, the last one is used. */
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

/**
 * Combines the edits into one change for each row. The changes are in the order in which the rows were first edited. If a row is deleted, its updates
 * are left out.
 */
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
