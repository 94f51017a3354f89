import { queryOptions } from '@tanstack/react-query'
import type { Database } from '@/lib/database.types'
import { fetchAll } from '@/lib/fetch-all'
import { connect } from '@/lib/supabase'

export type School = Database['public']['Tables']['schools']['Row']

async function listSchools(): Promise<School[]> {
  const supabase = await connect()
  return fetchAll((from, to) =>
    supabase.from('schools').select('*', { count: 'exact' }).order('name').order('id').range(from, to),
  )
}

/** All schools by name. */
export const schoolsQuery = queryOptions({ queryKey: ['schools'], queryFn: listSchools })
