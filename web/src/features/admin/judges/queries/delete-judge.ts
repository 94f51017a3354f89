import { connect } from '@/lib/supabase'
import { failedToDelete } from '../../shared/failures'
import { useDelete } from '../../shared/use-delete'
import { categoriesOf, judgeColumns, judgesQuery, type Judge } from './list-judges'
import { replaceCategories } from './save-judge'

async function deleteJudge(judge: Judge) {
  const supabase = await connect()
  const { data, error } = await supabase.from('judges').delete().eq('id', judge.id).select(judgeColumns).maybeSingle()
  if (error) throw error
  return data ?? judge
}

async function restoreJudge(judge: Judge) {
  const supabase = await connect()
  const { id, name, email, phone, notes, created_at } = judge
  const { error } = await supabase.from('judges').insert({ id, name, email, phone, notes, created_at })
  if (error) throw error
  await replaceCategories(supabase, judge.id, categoriesOf(judge))
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
