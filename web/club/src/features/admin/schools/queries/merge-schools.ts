import { connect } from '@/lib/supabase'

/** Moves everything that hangs on `others` to `keep` and deletes them, all or nothing. Returns how many went. */
export async function mergeSchools(keep: string, others: string[]): Promise<number> {
  const supabase = await connect()
  const { data, error } = await supabase.rpc('merge_schools', { keep, others })
  if (error) throw error
  return data
}
