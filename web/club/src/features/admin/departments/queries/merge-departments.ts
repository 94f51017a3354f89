import { connect } from '@/lib/supabase'

/**
 * Moves the contacts of the departments `others` to the department `keep`, then deletes `others`, in one transaction.
 * @returns the number of deleted departments
 */
export async function mergeDepartments(keep: string, others: string[]): Promise<number> {
  const supabase = await connect()
  const { data, error } = await supabase.rpc('merge_departments', { keep, others })
  if (error) throw error
  return data
}
