import { entryToken, forgetEntryToken, makeEntryToken } from '../entry-link'
import { lateLink } from '../late-link'
import { ToldFailure } from './form-spec'

interface InsertError {
  code: string
  message: string
  details: string | null
}

/** PostgreSQL's error code for a duplicate value in a unique column. */
const uniqueViolation = '23505'
/** The database's own error code for a row that is sent while entries are closed. The error message contains the date. */
const entriesClosed = 'CLB01'

/** An insert of supabase-js. It is sent only when it is awaited. */
interface Insert extends PromiseLike<{ error: InsertError | null }> {
  setHeader: (name: string, value: string) => unknown
}

/**
 * Inserts a row that has a submission key. Sends the token of a late link too, if there is one. If the database already has the key, an earlier
 * attempt succeeded and only its response was lost; this counts as success.
 * @returns whether an earlier attempt had saved the row
 * @throws if the row was not saved
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
 * Inserts an entry like `insertOnce`, and sends the token of the link to the entry too.
 * @param key the key of the filled form
 * @throws if the entry was not saved
 */
export async function insertEntry(insert: Insert, key: string) {
  const sentBefore = entryToken(key)
  insert.setHeader('x-entry-link', sentBefore ?? makeEntryToken(key))
  // The entry was sent by another tab with another token. Therefore the token of this tab is not valid.
  if ((await insertOnce(insert)) && sentBefore === undefined) forgetEntryToken(key)
}
