import { connect } from '@/lib/supabase'

/** Moves all data of the schools `others` to the school `keep`, then deletes `others`, in one transaction. @returns the number of deleted schools */
export async function mergeSchools(keep: string, others: string[]): Promise<number> {
  const supabase = await connect()
  const { data, error } = await supabase.rpc('merge_schools', { keep, others })
  if (error) throw error
  return data
}
