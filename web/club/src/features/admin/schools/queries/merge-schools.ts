import { connect } from '@/lib/supabase'

/** Moves everything that refers to `others` to `keep` and deletes `others`, in one transaction. Returns the number of deleted schools. */
export async function mergeSchools(keep: string, others: string[]): Promise<number> {
  const supabase = await connect()
  const { data, error } = await supabase.rpc('merge_schools', { keep, others })
  if (error) throw error
  return data
}
