import { ToldFailure } from './form-spec'

interface InsertError {
  code: string
  message: string
  details: string | null
}

/** PostgreSQL's code for a value that exists already in a unique column. */
const uniqueViolation = '23505'
/** The database's code for a row that came while entries are closed; the message says since when. */
const entriesClosed = 'CLB01'

/**
 * Looks at the answer of an insert that carries a submission key. A key that exists already means that an earlier attempt arrived and
 * only its answer was lost: that is a success.
 *
 * @throws when the row was not saved
 */
export function savedOnce({ error }: { error: InsertError | null }) {
  if (error === null) return
  const repeated = error.code === uniqueViolation && `${error.message} ${error.details ?? ''}`.includes('submission_key')
  if (error.code === entriesClosed) throw new ToldFailure({ title: 'Entries are closed', description: `${error.message}.` })
  if (!repeated) throw new Error(error.message)
}
