import { useQuery } from '@tanstack/react-query'
import { Mail } from 'lucide-react'
import { useState } from 'react'
import { formatMoment } from '@/lib/dates'
import { Button } from '@cloch/ui/components/button'
import type { Season } from '../seasons/queries/list-seasons'
import { BlockTable, type Column } from '../shared/BlockTable'
import { LoadFailed } from '../shared/LoadFailed'
import { sentRemindersQuery, type SentReminder } from './queries/reminders'
import { audienceLabels, isAudience, remindedSeason } from './reminders'
import { RemindersDialog } from './RemindersDialog'

const columns: Column<SentReminder>[] = [
  { name: 'Sent', cell: ({ created_at }) => formatMoment(created_at), lead: true },
  { name: 'To', cell: ({ audience }) => (isAudience(audience) ? audienceLabels[audience] : audience) },
  { name: 'Mails', cell: ({ mails }) => mails },
  { name: 'By', cell: ({ sent_by }) => sent_by ?? '-' },
]

/** Reminders before the last day for entries: lists who sent them and when, and contains the button that sends them while entries are open. */
export function Reminders({ seasons }: { seasons: readonly Season[] }) {
  const sent = useQuery(sentRemindersQuery)
  const [sending, setSending] = useState(false)
  const [now] = useState(() => Date.now())
  const season = remindedSeason(seasons, now)
  const rows = sent.data ?? []
  return (
    <section aria-labelledby="reminders" className="mt-12">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <h2 id="reminders" className="text-[1.375rem] leading-tight">
          Reminders
        </h2>
        {season ? (
          <Button size="sm" variant="outline" onClick={() => setSending(true)}>
            <Mail aria-hidden />
            Send Reminders
          </Button>
        ) : null}
      </div>
      {season ? null : (
        <p className="mb-4 text-muted-foreground">
          Reminders can be sent while entries are open and the season has a last day for entries.
        </p>
      )}
      {sent.isError ? <LoadFailed onRetry={() => void sent.refetch()}>Failed to load the reminders</LoadFailed> : null}
      {rows.length > 0 ? <BlockTable label="Reminders" columns={columns} rows={rows} /> : null}
      {season && rows.length === 0 && sent.data ? <p className="text-muted-foreground">None sent yet.</p> : null}
      {sending && season ? <RemindersDialog season={season} onClose={() => setSending(false)} /> : null}
    </section>
  )
}
