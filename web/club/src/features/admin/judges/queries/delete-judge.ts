import { connect } from '@/lib/supabase'
import { failedToDelete } from '../../shared/failures'
import { useDelete } from '../../shared/use-delete'
import { categoriesOf, judgeColumns, judgesQuery, type Judge } from './list-judges'

async function deleteJudge(judge: Judge) {
  const supabase = await connect()
  const { data, error } = await supabase.from('judges').delete().eq('id', judge.id).select(judgeColumns).maybeSingle()
  if (error) throw error
  return data ?? judge
}

async function restoreJudge(judge: Judge) {
  const supabase = await connect()
  const { id, name, email, phone, notes, created_at } = judge
  const record = { id, name, email, phone, notes, created_at }
  const { error } = await supabase.rpc('save_judge', { record, categories: categoriesOf(judge) })
  if (error) throw error
}

export function useDeleteJudge() {
  return useDelete<Judge>({
    list: judgesQuery.queryKey,
    remove: deleteJudge,
    restore: restoreJudge,
    deleted: 'Judge deleted successfully',
    failed: failedToDelete('judge'),
  })
}
