import { queryOptions } from '@tanstack/react-query'
import { connect } from '@/lib/supabase'
import { refuseStale } from '../../shared/stale'

export const mailTemplatesQuery = queryOptions({
  queryKey: ['mail-templates'],
  queryFn: async () => {
    const supabase = await connect()
    const { data, error } = await supabase.from('mail_templates').select()
    if (error) throw error
    return data
  },
})
export type MailTemplate = Awaited<ReturnType<NonNullable<typeof mailTemplatesQuery.queryFn>>>[number]

/** @throws StaleError when somebody else has changed the template since `base` was read */
export async function saveMailTemplate(input: { subject: string; body: string }, base: MailTemplate) {
  const supabase = await connect()
  const updated = await supabase
    .from('mail_templates')
    .update(input)
    .eq('id', base.id)
    .eq('updated_at', base.updated_at)
    .select()
  await refuseStale(updated, () => supabase.from('mail_templates').select().eq('id', base.id).maybeSingle())
}
