import { queryOptions } from '@tanstack/react-query'
import type { Database } from '@/lib/database.types'
import { fetchAll } from '@/lib/fetch-all'
import { connect } from '@/lib/supabase'
import type { Entry } from '../../entry'

type Functions = Database['public']['Functions']
type StoredFile = Functions['entry_files']['Returns'][number]

/** The stored data of an entry in addition to its row. */
export interface EntryTraces {
  files: StoredFile[]
  mails: Functions['entry_mail']['Returns']
}

/** The files that must be deleted before the entry. */
export async function entryFiles({ award, id }: Entry): Promise<StoredFile[]> {
  const supabase = await connect()
  return fetchAll((from, to) =>
    supabase.rpc('entry_files', { award, entry: id }, { count: 'exact' }).order('bucket_id').order('name').range(from, to),
  )
}

async function findTraces(entry: Entry): Promise<EntryTraces> {
  const supabase = await connect()
  const [mails, files] = await Promise.all([
    supabase.rpc('entry_mail', { award: entry.award, entry: entry.id }),
    entryFiles(entry),
  ])
  if (mails.error) throw mails.error
  return { mails: mails.data, files }
}

/** Loaded again each time it is shown, so that nobody decides on the basis of outdated data. */
export function entryTracesQuery(entry: Entry) {
  return queryOptions({
    queryKey: ['entry-traces', entry.id],
    queryFn: () => findTraces(entry),
    staleTime: 0,
    gcTime: 0,
  })
}
