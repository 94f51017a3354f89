/** Types of the API that restores rows from a backup, and texts for its dialog. */

/** A row of the copy that has been deleted or changed since that time. */
export interface FoundRow {
  key: string[]
  /** Names of the changed columns. Null if the row was deleted. */
  changed: string[] | null
  values: (string | null)[]
}

export interface FoundRows {
  moment: string
  columns: string[]
  /** Columns that are not restored, because they no longer exist or have another type. */
  left_out: string[]
  rows: FoundRow[]
  /** Number of rows that were compared for this page. */
  compared: number
  next: string[] | null
}

/** The statements that restore rows. */
export interface RestoreSql {
  sql: string
  digest: string
  inserted: number
  updated: number
}

/** Maximum number of rows that are shown at once. The search finds other rows. */
export const maxShown = 1000
/** Maximum number of rows that one transaction restores. */
export const maxChosen = 500

/** The old values of a row, on one line. */
export const rowText = (columns: readonly string[], { values }: FoundRow) =>
  columns.map((name, index) => `${name}: ${values[index] ?? 'null'}`).join(' · ')

export const rowName = ({ key }: FoundRow) => key.join(', ')

/** “2 rows are restored”. */
export const restoredText = ({ inserted, updated }: { inserted: number; updated: number }) =>
  inserted + updated === 1 ? 'One row is restored' : `${inserted + updated} rows are restored`
