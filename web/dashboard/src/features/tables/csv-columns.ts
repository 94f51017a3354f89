/** Table column for a column of the file; null: not imported; undefined: not chosen yet. */
export type Target = string | null | undefined

/** Returns the table column with the name in the file's first line. */
const meant = (field: string, columns: readonly string[]) =>
  columns.find((name) => name === field) ?? columns.find((name) => name.toLowerCase() === field.trim().toLowerCase())

/** Whether the first line contains names. One name of a table column is enough, so that a line with a misspelt name is not imported as data. */
export const hasNames = (fields: readonly string[], columns: readonly string[]) =>
  fields.some((field) => meant(field, columns) !== undefined)

/** Initial targets of the file's columns: by name, or by position. */
export const targets = (fields: readonly string[], columns: readonly string[], isHeader: boolean): Target[] =>
  fields.map((field, index) => (isHeader ? meant(field, columns) : columns[index]))

/** The problem with the target of one column in the file. */
export function problem(all: readonly Target[], index: number, isHeader: boolean): string | undefined {
  const target = all[index]
  if (target === undefined)
    return isHeader ? 'The table has no column of this name: choose one, or leave it out.' : 'Choose a column, or leave it out.'
  return target !== null && all.indexOf(target) !== index ? 'This column is chosen twice.' : undefined
}
