/** Columns that the records of all tables have. */
export interface Stamped {
  id: string
  updated_at: string
}

/** Error: somebody else has changed the record since this page read it. */
export class StaleError extends Error {
  /** The current record; null if it was deleted. */
  readonly current: Stamped | null

  constructor(current: Stamped | null) {
    super(current ? 'Somebody else has changed this record in the meantime.' : 'Somebody else has deleted this record.')
    this.name = 'StaleError'
    this.current = current
  }
}

interface Answer<Row> {
  data: Row | null
  error: Error | null
}

/**
 * Checks the result of an update that has conditions on id and updated_at.
 * @param updated the updated rows; empty if somebody else has changed the record since it was read
 * @param current reads the current record
 * @throws StaleError if no row was updated
 */
export async function refuseStale(updated: Answer<Stamped[]>, current: () => PromiseLike<Answer<Stamped>>) {
  if (updated.error) throw updated.error
  if (!updated.data?.length) throw await staleError(current())
}

/** Creates the error for a record that somebody else has changed. The error contains the current record. */
export async function staleError(current: PromiseLike<Answer<Stamped>>) {
  const { data, error } = await current
  return error ?? new StaleError(data)
}
