import { Mail, Search } from 'lucide-react'
import { useId } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Input } from '@cloch/ui/components/input'
import { NativeSelect } from '@cloch/ui/components/native-select'
import { cn } from '@cloch/ui/lib/cn'

interface GuestToolsProps {
  query: string
  onQuery: (query: string) => void
  status: string
  onStatus: (status: string) => void
  selected: number
  /** Whether a mailing is running. */
  mailing: boolean
  onMail: () => void
}

/**
 * On phones, the actions for the selected guests stay at the bottom of the screen. Otherwise the user would have to scroll through a long list to
 * reach them.
 */
const selectionBar = 'max-md:fixed max-md:inset-x-0 max-md:bottom-0 max-md:z-30 max-md:border-t max-md:bg-card max-md:p-3'

const filters = [
  ['', 'All'],
  ['invited', 'Invited'],
  ['accepted', 'Accepted'],
  ['declined', 'Declined'],
] as const

/** Search, filter and actions of the guest list. */
export function GuestTools({ query, onQuery, status, onStatus, selected, mailing, onMail }: GuestToolsProps) {
  const id = useId()
  return (
    <div className="mb-6 flex flex-wrap gap-3 no-print">
      <div className="relative min-w-36 flex-1 md:min-w-56">
        <Search aria-hidden className="pointer-events-none absolute top-1/2 left-3.5 -translate-y-1/2 text-muted-foreground" />
        <label htmlFor={`${id}-search`} className="sr-only">
          Search guests
        </label>
        <Input
          id={`${id}-search`}
          type="search"
          data-search
          value={query}
          onChange={(event) => onQuery(event.target.value)}
          className="pl-11"
        />
      </div>
      <div className="w-36 md:w-40">
        <label htmlFor={`${id}-status`} className="sr-only">
          Status
        </label>
        <NativeSelect id={`${id}-status`} value={status} onChange={(event) => onStatus(event.target.value)}>
          {filters.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </NativeSelect>
      </div>
      <div className={cn('grid', selected > 0 ? selectionBar : 'max-md:hidden')}>
        <Button variant={selected > 0 ? 'default' : 'outline'} disabled={mailing} onClick={onMail}>
          <Mail aria-hidden />
          Email Selected ({selected})
        </Button>
      </div>
    </div>
  )
}
