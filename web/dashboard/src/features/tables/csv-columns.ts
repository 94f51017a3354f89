/** The column of the table that takes a column of the file; null: it is left out; undefined: nobody has chosen yet. */
export type Target = string | null | undefined

/** The column that a name in a file's first line means. */
const meant = (field: string, columns: readonly string[]) =>
  columns.find((name) => name === field) ?? columns.find((name) => name.toLowerCase() === field.trim().toLowerCase())

/** Whether the first line has names: one that the table knows is enough, so that a misspelt one does not make it data. */
export const hasNames = (fields: readonly string[], columns: readonly string[]) =>
  fields.some((field) => meant(field, columns) !== undefined)

/** Where the columns of the file go at first: by their names, or by their places. */
export const targets = (fields: readonly string[], columns: readonly string[], isHeader: boolean): Target[] =>
  fields.map((field, index) => (isHeader ? meant(field, columns) : columns[index]))

/** What is wrong with the target of one column of the file. */
export function problem(all: readonly Target[], index: number, isHeader: boolean): string | undefined {
  const target = all[index]
  if (target === undefined)
    return isHeader ? 'The table has no column of this name: choose one, or leave it out.' : 'Choose a column, or leave it out.'
  return target !== null && all.indexOf(target) !== index ? 'This column is chosen twice.' : undefined
}
