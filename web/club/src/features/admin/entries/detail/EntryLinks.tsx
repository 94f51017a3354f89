import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { formatMoment } from '@/lib/dates'
import { messageOf } from '@/lib/errors'
import { connect } from '@/lib/supabase'
import { Button } from '@cloch/ui/components/button'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import type { Entry } from '../entry'

function entryLinksQuery({ id }: Entry) {
  return queryOptions({
    queryKey: ['entry-links', id],
    queryFn: async () => {
      const supabase = await connect()
      const { data, error } = await supabase
        .from('entry_links')
        .select('id, created_at, corrected_at, revoked_at, revoked_by')
        .eq('entry', id)
        .order('created_at')
      if (error) throw error
      return data
    },
  })
}

/** The link with which the sender can correct the entry. Shows whether it exists and whether it was used, and has a button that revokes it. */
export function EntryLinks({ entry }: { entry: Entry }) {
  const queries = useQueryClient()
  const { data: links = [] } = useQuery(entryLinksQuery(entry))
  const revoke = useMutation({
    mutationFn: async () => {
      const supabase = await connect()
      const { error } = await supabase.rpc('revoke_entry_links', { award: entry.award, entry: entry.id })
      if (error) throw error
    },
    onSuccess: () => notifySuccess({ title: 'Success', description: 'The sender’s link opens nothing any more' }),
    onError: (error) => notifyError({ title: 'Error', description: messageOf(error) }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['entry-links', entry.id] }),
  })
  const [link] = links
  if (!link) return null
  return (
    <p className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <span>
        {link.revoked_at === null
          ? 'The sender has a link to correct this entry until the last day for entries.'
          : `The sender’s link was ended on ${formatMoment(link.revoked_at)} by ${link.revoked_by ?? 'the server'}.`}
        {link.corrected_at === null ? '' : ` Last corrected with it on ${formatMoment(link.corrected_at)}.`}
      </span>
      {link.revoked_at === null ? (
        <Button size="sm" variant="outline" className="no-print" disabled={revoke.isPending} onClick={() => revoke.mutate()}>
          End the link
        </Button>
      ) : null}
    </p>
  )
}
