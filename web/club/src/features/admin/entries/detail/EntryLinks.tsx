import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
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
        .select('id, created_at, expires_at, corrected_at, revoked_at, revoked_by')
        .eq('entry', id)
        .order('created_at')
      if (error) throw error
      return data
    },
  })
}

/** The links with which the sender can correct the entry. Shows the existing links and whether they were used, and has a button that revokes
 * all of them. */
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
  const [now] = useState(() => Date.now())
  if (links.length === 0) return null
  const open = links.filter(({ revoked_at, expires_at }) => revoked_at === null && !(Date.parse(expires_at ?? '') <= now))
  const ended = links.find(({ revoked_at }) => revoked_at !== null)
  const mailed = links.findLast(({ expires_at }) => expires_at !== null)
  const [corrected] = links
    .flatMap(({ corrected_at }) => corrected_at ?? [])
    .sort()
    .reverse()
  return (
    <p className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <span>
        {open.some(({ expires_at }) => expires_at === null)
          ? 'The sender has a link to correct this entry until the last day for entries. '
          : ''}
        {mailed
          ? `A link was asked for and sent to the entry’s address on ${formatMoment(mailed.created_at)}; it works for a day. `
          : ''}
        {ended?.revoked_at
          ? `The sender’s link was ended on ${formatMoment(ended.revoked_at)} by ${ended.revoked_by ?? 'the server'}. `
          : ''}
        {corrected === undefined ? '' : `Last corrected with a link on ${formatMoment(corrected)}.`}
      </span>
      {open.length > 0 ? (
        <Button size="sm" variant="outline" className="no-print" disabled={revoke.isPending} onClick={() => revoke.mutate()}>
          End the link
        </Button>
      ) : null}
    </p>
  )
}
