import { entryToken, forgetEntryToken, makeEntryToken } from '../entry-link'
import { lateLink } from '../late-link'
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

/** An insert of supabase-js that has not been sent. */
interface Insert extends PromiseLike<{ error: InsertError | null }> {
  setHeader: (name: string, value: string) => unknown
}

/**
 * Sends a row that carries a submission key, with the token of the late link if there is one. A key that exists already means that an earlier
 * attempt arrived and only its answer was lost: that is a success.
 *
 * @returns whether the row was saved by an earlier attempt
 * @throws when the row was not saved
 */
export async function insertOnce(insert: Insert): Promise<boolean> {
  const late = lateLink()
  if (late !== undefined) insert.setHeader('x-late-link', late)
  const { error } = await insert
  if (error === null) return false
  const isRepeated = error.code === uniqueViolation && `${error.message} ${error.details ?? ''}`.includes('submission_key')
  if (error.code === entriesClosed) throw new ToldFailure({ title: 'Entries are closed', description: `${error.message}.` })
  if (!isRepeated) throw new Error(error.message)
  return true
}

/**
 * Sends an entry like `insertOnce`, with the token of the link to it. `key` is the key of the fill.
 *
 * @throws when the entry was not saved
 */
export async function insertEntry(insert: Insert, key: string) {
  const sentBefore = entryToken(key)
  insert.setHeader('x-entry-link', sentBefore ?? makeEntryToken(key))
  // Another tab has sent the entry, with a token that it has shown and forgotten: the new token opens nothing.
  if ((await insertOnce(insert)) && sentBefore === undefined) forgetEntryToken(key)
}
