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
 * The row that an update by id and updated_at has changed.
 *
 * @param updated what the update answered: no row if the record was not as it had been read
 * @param current reads the record as it is now
 * @throws StaleError when nothing was changed
 */
export async function changedRow<Row extends Stamped>(
  updated: Answer<Row[]>,
  current: () => PromiseLike<Answer<Row>>,
): Promise<Row> {
  if (updated.error) throw updated.error
  const row = updated.data?.[0]
  if (row) return row
  const now = await current()
  if (now.error) throw now.error
  throw new StaleError(now.data)
}
