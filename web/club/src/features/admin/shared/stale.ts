/** A record as every table of the club has it. */
export interface Stamped {
  id: string
  updated_at: string
}

/** Somebody else has changed the record since it was read. */
export class StaleError extends Error {
  /** The record as it is now; null if it is gone. */
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
 * Checks an update by id and updated_at.
 *
 * @param updated what the update answered: no row if the record was not as it had been read
 * @param current reads the record as it is now
 * @throws StaleError when nothing was changed
 */
export async function refuseStale(updated: Answer<Stamped[]>, current: () => PromiseLike<Answer<Stamped>>) {
  if (updated.error) throw updated.error
  if (!updated.data?.length) throw await staleError(current())
}

/** The error for a record that somebody else has changed, with the record as it is now. */
export async function staleError(current: PromiseLike<Answer<Stamped>>) {
  const { data, error } = await current
  return error ?? new StaleError(data)
}
