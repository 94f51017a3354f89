import { useQuery } from '@tanstack/react-query'
import { Link2 } from 'lucide-react'
import { useState } from 'react'
import { formatDay, formatMoment } from '@/lib/dates'
import { Button } from '@cloch/ui/components/button'
import type { Season } from '../seasons/queries/list-seasons'
import { BlockTable, type Column } from '../shared/BlockTable'
import { LoadFailed } from '../shared/LoadFailed'
import { lateFormLabel } from './forms'
import { LateLinkDialog } from './LateLinkDialog'
import { lateLinksQuery, useRevokeLateLink, type LateLink } from './queries/late-links'

/** Late links. With such a link, one entrant can send an entry after the deadline. Admins can create, list and revoke them here. */
export function LateLinks({ seasons }: { seasons: readonly Season[] }) {
  const links = useQuery(lateLinksQuery)
  const revoke = useRevokeLateLink()
  const [making, setMaking] = useState(false)
  const [now] = useState(() => Date.now())
  // The season for which entries are accepted now. If it has no deadline, its forms do not close.
  const season = seasons.findLast(({ ends_at }) => Date.parse(ends_at) > now)
  const rows = links.data ?? []
  const hasDays = season !== undefined && (season.opens_on !== null || season.deadline_on !== null)
  if (!hasDays && rows.length === 0) return null
  const columns: Column<LateLink>[] = [
    { name: 'For', cell: ({ entrant }) => entrant, lead: true },
    { name: 'Form', cell: ({ award }) => lateFormLabel(award) },
    {
      name: 'Made',
      cell: (link) => `${formatDay(link.created_at)}${link.created_by === null ? '' : `, by ${link.created_by}`}`,
    },
    { name: 'State', cell: (link) => stateOf(link, now) },
    {
      name: 'Actions',
      cell: (link) =>
        isAlive(link, now) ? (
          <Button
            size="sm"
            variant="ghost"
            disabled={revoke.isPending}
            aria-label={`Withdraw the late link of ${link.entrant}`}
            onClick={() => revoke.mutate(link)}
          >
            Withdraw
          </Button>
        ) : (
          '-'
        ),
    },
  ]
  return (
    <section aria-labelledby="late-links" className="mt-12">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <h2 id="late-links" className="text-[1.375rem] leading-tight">
          Late links
        </h2>
        {season ? (
          <Button size="sm" variant="outline" onClick={() => setMaking(true)}>
            <Link2 aria-hidden />
            Make Late Link
          </Button>
        ) : null}
      </div>
      {links.isError ? <LoadFailed onRetry={() => void links.refetch()}>Failed to load the late links</LoadFailed> : null}
      {rows.length === 0 ? (
        <p className="text-muted-foreground">None. A late link lets one entrant send one entry after the last day.</p>
      ) : (
        <BlockTable label="Late links" columns={columns} rows={rows} />
      )}
      {making && season ? <LateLinkDialog season={season} onClose={() => setMaking(false)} /> : null}
    </section>
  )
}

function isAlive({ used_at, revoked_at, expires_at }: LateLink, now: number): boolean {
  return used_at === null && revoked_at === null && Date.parse(expires_at) > now
}

function stateOf(link: LateLink, now: number): string {
  if (link.used_at !== null) return `used on ${formatMoment(link.used_at)}`
  if (link.revoked_at !== null) return `withdrawn on ${formatDay(link.revoked_at)} by ${link.revoked_by ?? 'the server'}`
  return isAlive(link, now) ? `works until ${formatMoment(link.expires_at)}` : `ended on ${formatDay(link.expires_at)}`
}
