import { queryOptions } from '@tanstack/react-query'
import { messageOf } from '@/lib/errors'
import { fetchAll } from '@/lib/fetch-all'
import type { SiteContent } from '@/lib/site-content'
import { connect } from '@/lib/supabase'
import type { FieldInput } from '../shared/fields/field-rules'
import { refuseStale } from '../shared/stale'
import { removeUnusedPictures } from './pictures'
import { siteChanges } from './site-changes'
import type { SiteRow, SiteTable } from './site-tables'

/** The rows of one of the website's tables, sorted as in its list. */
export function siteRowsQuery({ table, order }: SiteTable) {
  return queryOptions({
    queryKey: ['site', table],
    queryFn: async () => {
      const supabase = await connect()
      return fetchAll((from, to) => {
        const rows = supabase.from(table as 'site_events').select('*', { count: 'exact' })
        const sorted = order.reduce((query, { column, ascending }) => query.order(column, { ascending }), rows)
        return sorted.order('id').range(from, to)
      }) as Promise<unknown> as Promise<SiteRow[]>
    },
  })
}

/** @throws StaleError when somebody else has changed the row since `base` was read */
export async function saveSiteRow({ table }: SiteTable, input: FieldInput, base: SiteRow | undefined) {
  const supabase = await connect()
  const rows = () => supabase.from(table as 'site_events')
  if (!base) {
    const { error } = await rows().insert(input as never)
    if (error) throw error
    return
  }
  const updated = await rows()
    .update(input as never)
    .eq('id', base.id)
    .eq('updated_at', base.updated_at)
    .select()
  await refuseStale(updated, () => rows().select().eq('id', base.id).maybeSingle())
}

export async function deleteSiteRow({ table }: SiteTable, { id }: SiteRow): Promise<SiteRow> {
  const supabase = await connect()
  const { data, error } = await supabase
    .from(table as 'site_events')
    .delete()
    .eq('id', id)
    .select()
    .single()
  if (error) throw error
  return data
}

export async function restoreSiteRow({ table }: SiteTable, deleted: SiteRow) {
  const supabase = await connect()
  const row = Object.fromEntries(Object.entries(deleted).filter(([column]) => column !== 'updated_at'))
  const { error } = await supabase.from(table as 'site_events').insert(row as never)
  if (error) throw error
}

/** The individual texts of the website, sorted as in their list. */
export const siteTextsQuery = queryOptions({
  queryKey: ['site', 'site_texts'],
  queryFn: async () => {
    const supabase = await connect()
    const { data, error } = await supabase.from('site_texts').select().order('position')
    if (error) throw error
    return data
  },
})
export type SiteText = Awaited<ReturnType<NonNullable<typeof siteTextsQuery.queryFn>>>[number]

/** @throws StaleError when somebody else has changed the text since `base` was read */
export async function saveSiteText(value: string, base: SiteText) {
  const supabase = await connect()
  const updated = await supabase
    .from('site_texts')
    .update({ value })
    .eq('id', base.id)
    .eq('updated_at', base.updated_at)
    .select()
  await refuseStale(updated, () => supabase.from('site_texts').select().eq('id', base.id).maybeSingle())
}

/** The season's dates as the website shows them. They are not published: a change is visible at once. */
export const siteDatesQuery = queryOptions({
  queryKey: ['site', 'dates'],
  queryFn: async () => {
    const supabase = await connect()
    const { data, error } = await supabase.rpc('draft_content')
    if (error) throw error
    return { ...(data as unknown as SiteContent).texts, readAt: Date.now() }
  },
})

/** The time of the last publication, and whether something has changed since. */
export const siteStatusQuery = queryOptions({
  queryKey: ['site', 'status'],
  queryFn: async () => {
    const supabase = await connect()
    const { data, error } = await supabase.rpc('site_status').maybeSingle()
    if (error) throw error
    return data
  },
})

export async function publishSite() {
  const supabase = await connect()
  const { error } = await supabase.rpc('publish_site')
  if (error) throw error
  // The publication has already succeeded. If unused pictures cannot be deleted now, they are deleted after the next publication.
  await removeUnusedPictures().catch((failure: unknown) => console.error('Unused pictures are left:', messageOf(failure)))
}

/** The changes of the pages that will be published. */
export const siteChangesQuery = queryOptions({
  queryKey: ['site', 'changes'],
  queryFn: async () => {
    const supabase = await connect()
    const [published, draft] = await Promise.all([supabase.rpc('published_content'), supabase.rpc('draft_content')])
    if (published.error) throw published.error
    if (draft.error) throw draft.error
    return siteChanges(published.data as unknown as SiteContent, draft.data as unknown as SiteContent)
  },
  staleTime: 0,
})
