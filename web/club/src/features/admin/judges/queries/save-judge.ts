import { connect } from '@/lib/supabase'
import { staleError } from '../../shared/stale'
import type { JudgeInput } from '../rules'
import { judgeColumns, type Judge } from './list-judges'

/**
 * Saves a judge together with the judge's categories, in one transaction.
 * @throws StaleError if somebody else has changed the judge since `base` was read
 */
export async function saveJudge({ categories, ...record }: JudgeInput, base: Judge | undefined) {
  const supabase = await connect()
  const read = base && { judge: base.id, read_at: base.updated_at }
  const { data: saved, error } = await supabase.rpc('save_judge', { record, categories, ...read })
  if (error) throw error
  if (base && !saved) throw await staleError(supabase.from('judges').select(judgeColumns).eq('id', base.id).maybeSingle())
}
