import { Pause, Play } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { useAddressQuery } from '@cloch/ui/hooks/use-address-query'
import { Page } from '@/components/Page'
import { Empty, Result } from '@/components/states'
import { filtersOf, names, type Filters, type Line } from './contract'
import { FilterBar } from './FilterBar'
import { LinePanel } from './LinePanel'
import { Lines } from './Lines'
import { useLines, useLive } from './use-lines'

/** Page with the server's log as a list of lines. The URL contains the filters, so that a link to a filtered log can be shared. */
export function Component() {
  const [search, setSearch] = useAddressQuery()
  const [isLive, setLive] = useState(false)
  const [before, setBefore] = useState<number>()
  const [open, setOpen] = useState<Line>()
  const filters = filtersOf(search)
  const page = useLines(filters, before)
  const live = useLive(filters, isLive)
  const change = (part: Partial<Filters>) => {
    setBefore(undefined)
    setSearch(
      (old) => {
        const next = { ...filtersOf(old), ...part }
        return Object.fromEntries(names.flatMap((name) => (next[name] === '' ? [] : [[name, next[name]]])))
      },
      { replace: true },
    )
  }
  return (
    <Page
      title="Logs"
      lede="Requests of every API, PostgreSQL, mail, cron and functions, in one stream. Kept in memory until the server stops; never a token or a body."
      actions={
        <Button
          variant={isLive ? 'default' : 'outline'}
          size="compact"
          aria-pressed={isLive}
          onClick={() => {
            setLive(!isLive)
            setBefore(undefined)
            if (isLive) void page.refetch()
          }}
        >
          {isLive ? <Pause aria-hidden /> : <Play aria-hidden />}
          {isLive ? 'Live' : 'Follow live'}
        </Button>
      }
    >
      <FilterBar filters={filters} onChange={change} />
      {live.hasGap && <p role="status">Lines came faster than they could be shown: some are missing here.</p>}
      <Result query={page} what="the log">
        {({ lines, oldest }) => {
          const all = isLive ? merged(live.lines, lines) : lines
          return (
            <>
              {all.length === 0 ? <Empty title="No log lines match." /> : <Lines lines={all} onOpen={setOpen} />}
              {oldest !== null && lines.length > 0 && !isLive && (
                <div className="flex gap-2">
                  <Button
                    variant="outline"
                    size="compact"
                    disabled={lines.at(-1)?.seq === oldest}
                    onClick={() => setBefore(lines.at(-1)?.seq)}
                  >
                    Older
                  </Button>
                  {before !== undefined && (
                    <Button variant="outline" size="compact" onClick={() => setBefore(undefined)}>
                      Newest
                    </Button>
                  )}
                </div>
              )}
            </>
          )
        }}
      </Result>
      {open && (
        <LinePanel
          line={open}
          onClose={() => setOpen(undefined)}
          onRequest={(request_id) => {
            setOpen(undefined)
            change({ api: '', level: '', status: '', search: '', request_id })
          }}
        />
      )}
    </Page>
  )
}

/** Merges two lists of lines. A line that was read with a request may also arrive in the live stream. */
function merged(live: readonly Line[], read: readonly Line[]): Line[] {
  const newest = read[0]?.seq ?? -1
  return [...live.filter(({ seq, key }) => key !== undefined || seq > newest), ...read]
}
