import { queryOptions } from '@tanstack/react-query'
import type { Database } from '@/lib/database.types'
import { fetchAll } from '@/lib/fetch-all'
import { connect } from '@/lib/supabase'

export type Department = Database['public']['Tables']['departments']['Row'] & { schools: { id: string; name: string } | null }

async function listDepartments(): Promise<Department[]> {
  const supabase = await connect()
  return fetchAll((from, to) =>
    supabase.from('departments').select('*, schools(id, name)', { count: 'exact' }).order('name').order('id').range(from, to),
  )
}

/** All departments by name, with their schools. */
export const departmentsQuery = queryOptions({ queryKey: ['departments'], queryFn: listDepartments })
