import { queryOptions } from '@tanstack/react-query'
import type { Database } from '@/lib/database.types'
import { fetchAll } from '@/lib/fetch-all'
import { connect } from '@/lib/supabase'
import { judgeCategories, type JudgeCategory } from '../categories'

type Row = Database['public']['Tables']['judges']['Row']
export type Judge = Row & { judge_categories: { category: string }[] }

export const judgeColumns = '*, judge_categories(category)'

async function listJudges(): Promise<Judge[]> {
  const supabase = await connect()
  return fetchAll((from, to) =>
    supabase.from('judges').select(judgeColumns, { count: 'exact' }).order('name').order('id').range(from, to),
  )
}

/** All judges by name, with their categories. */
export const judgesQuery = queryOptions({ queryKey: ['judges'], queryFn: listJudges })

/** The categories of a judge, in their usual order. */
export function categoriesOf(judge: Judge): JudgeCategory[] {
  return judgeCategories.filter((category) => judge.judge_categories.some((link) => link.category === category))
}
