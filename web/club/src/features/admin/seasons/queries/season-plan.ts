import { queryOptions } from '@tanstack/react-query'
import type { Database } from '@/lib/database.types'
import { fetchAll } from '@/lib/fetch-all'
import { connect } from '@/lib/supabase'
import type { Season } from './list-seasons'

type Functions = Database['public']['Functions']
type StoredFile = Functions['season_files']['Returns'][number]

/** The data that is deleted together with a season. */
export interface SeasonPlan {
  entries: Functions['season_report']['Returns']
  files: StoredFile[]
  mails: Functions['season_mail']['Returns']
}

/** The files that must be deleted before the rows of a season. */
export async function seasonFiles({ ends_at: before }: Season): Promise<StoredFile[]> {
  const supabase = await connect()
  return fetchAll((from, to) =>
    supabase.rpc('season_files', { before }, { count: 'exact' }).order('bucket_id').order('name').range(from, to),
  )
}

async function planSeason(season: Season): Promise<SeasonPlan> {
  const supabase = await connect()
  const [entries, mails, files] = await Promise.all([
    supabase.rpc('season_report', { before: season.ends_at }),
    supabase.rpc('season_mail', { before: season.ends_at }),
    seasonFiles(season),
  ])
  if (entries.error) throw entries.error
  if (mails.error) throw mails.error
  return { entries: entries.data, mails: mails.data, files }
}

/** Read again each time it is shown, so that nobody decides on the basis of outdated data. */
export function seasonPlanQuery(season: Season) {
  return queryOptions({ queryKey: ['season-plan', season.id], queryFn: () => planSeason(season), staleTime: 0, gcTime: 0 })
}
