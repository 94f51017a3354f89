import type { QueryClient } from '@tanstack/react-query'
import { connect } from '@/lib/supabase'
import { checklistQuery } from '../checklist/queries/list-items'
import { contactsQuery } from '../contacts/queries/list-contacts'
import { departmentsQuery } from '../departments/queries/list-departments'
import { artistEntriesQuery } from '../entries/artist/queries/list-entries'
import { nominationsQuery } from '../entries/citizen/queries/list-nominations'
import { musicianEntriesQuery } from '../entries/musician/queries/list-entries'
import { photographerEntriesQuery } from '../entries/photographer/queries/list-entries'
import { guestsQuery } from '../guests/queries/list-guests'
import { judgesQuery } from '../judges/queries/list-judges'
import { offlineQuery } from '../offline/queries/list-counts'
import { schoolsQuery } from '../schools/queries/list-schools'
import { seasonsQuery } from '../seasons/queries/list-seasons'

/** What fails here fails again where it is shown, and is told there. */
function begin(answer: Promise<unknown>) {
  answer.catch(() => undefined)
}

/**
 * Asks for what the dashboard opens with while it is still being found out whether this is an admin: the server decides what anybody
 * gets, and gives the others nothing.
 */
export async function beginFirstQueries(queries: QueryClient) {
  const supabase = await connect()
  const { data } = await supabase.auth.getSession()
  if (!data.session) return
  begin(queries.query(nominationsQuery))
  begin(queries.query(musicianEntriesQuery))
  begin(queries.query(photographerEntriesQuery))
  begin(queries.query(artistEntriesQuery))
  begin(queries.query(offlineQuery))
  begin(queries.query(seasonsQuery))
}

/** Asks for what the other tabs show, so that it is there when they are opened. */
export function beginOtherQueries(queries: QueryClient) {
  begin(queries.query(schoolsQuery))
  begin(queries.query(contactsQuery))
  begin(queries.query(departmentsQuery))
  begin(queries.query(guestsQuery))
  begin(queries.query(judgesQuery))
  begin(queries.query(checklistQuery))
}
