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

/** Ignores errors. The component that needs the data requests it again and shows the error. */
function begin(answer: Promise<unknown>) {
  answer.catch(() => undefined)
}

/** Requests the data of the dashboard's first view while the admin role is still being checked. To other users, the server returns no data. */
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

/** Requests the data of the other tabs in advance. */
export function beginOtherQueries(queries: QueryClient) {
  begin(queries.query(schoolsQuery))
  begin(queries.query(contactsQuery))
  begin(queries.query(departmentsQuery))
  begin(queries.query(guestsQuery))
  begin(queries.query(judgesQuery))
  begin(queries.query(checklistQuery))
}
