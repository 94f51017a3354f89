import { connect, type Supabase } from '@/lib/supabase'
import { changedRow } from '../../shared/stale'
import type { JudgeInput } from '../rules'
import { judgeColumns, type Judge } from './list-judges'

/**
 * Saves a judge and what the judge judges. If the second step fails, a new judge is taken back, and a changed one is noted with
 * `advance`, so that another try is not mistaken for somebody else's change.
 *
 * @throws StaleError when somebody else has changed the judge since `base` was read
 */
export async function saveJudge({ categories, ...record }: JudgeInput, base: Judge | undefined, advance: (row: Judge) => void) {
  const supabase = await connect()
  if (!base) {
    const { data, error } = await supabase.from('judges').insert(record).select('id').single()
    if (error) throw error
    try {
      await replaceCategories(supabase, data.id, categories)
    } catch (failure) {
      await supabase.from('judges').delete().eq('id', data.id)
      throw failure
    }
    return
  }
  const updated = await supabase
    .from('judges')
    .update(record)
    .eq('id', base.id)
    .eq('updated_at', base.updated_at)
    .select(judgeColumns)
  const row = await changedRow(updated, () => supabase.from('judges').select(judgeColumns).eq('id', base.id).maybeSingle())
  advance(row)
  await replaceCategories(supabase, base.id, categories)
}

export async function replaceCategories(supabase: Supabase, judge: string, categories: string[]) {
  const { error } = await supabase.rpc('replace_judge_categories', { judge, categories })
  if (error) throw error
}
