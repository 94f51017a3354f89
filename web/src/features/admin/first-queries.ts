import type { QueryClient } from '@tanstack/react-query'
import { connect } from '@/lib/supabase'
import { artistEntriesQuery } from './entries/artist/queries/list-entries'
import { nominationsQuery } from './entries/citizen/queries/list-nominations'
import { musicianEntriesQuery } from './entries/musician/queries/list-entries'
import { photographerEntriesQuery } from './entries/photographer/queries/list-entries'
import { offlineQuery } from './offline/queries/list-counts'
import { seasonsQuery } from './seasons/queries/list-seasons'

/**
 * Asks for what the dashboard opens with while it is still being found out whether this is an admin: the server decides what anybody
 * gets, and gives the others nothing.
 */
export async function beginFirstQueries(queries: QueryClient) {
  const supabase = await connect()
  const { data } = await supabase.auth.getSession()
  if (!data.session) return
  // What fails here fails again where it is shown, and is told there.
  const begin = (answer: Promise<unknown>) => void answer.catch(() => undefined)
  begin(queries.query(nominationsQuery))
  begin(queries.query(musicianEntriesQuery))
  begin(queries.query(photographerEntriesQuery))
  begin(queries.query(artistEntriesQuery))
  begin(queries.query(offlineQuery))
  begin(queries.query(seasonsQuery))
}
