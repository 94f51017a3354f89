/** The table column into which a column of the file is imported. Null: the column is not imported. Undefined: not chosen yet. */
export type Target = string | null | undefined

/** Returns the table column whose name is in this field of the file's first line. */
const meant = (field: string, columns: readonly string[]) =>
  columns.find((name) => name === field) ?? columns.find((name) => name.toLowerCase() === field.trim().toLowerCase())

/**
 * Whether the first line of the file contains column names. The name of one table column is enough; otherwise a header with one misspelt name would
 * be imported as data.
 */
export const hasNames = (fields: readonly string[], columns: readonly string[]) =>
  fields.some((field) => meant(field, columns) !== undefined)

/** The targets that are selected at first for the file's columns: by name if the file has a header, otherwise by position. */
export const targets = (fields: readonly string[], columns: readonly string[], isHeader: boolean): Target[] =>
  fields.map((field, index) => (isHeader ? meant(field, columns) : columns[index]))

/** The problem with the target of a column in the file. `undefined` if there is none. */
export function problem(all: readonly Target[], index: number, isHeader: boolean): string | undefined {
  const target = all[index]
  if (target === undefined)
    return isHeader ? 'The table has no column of this name: choose one, or leave it out.' : 'Choose a column, or leave it out.'
  return target !== null && all.indexOf(target) !== index ? 'This column is chosen twice.' : undefined
}
