import type { UseQueryResult } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '@cloch/ui/components/button'
import type { Award } from './awards'
import type { JudgedEntry } from './entry'
import { EntryGrid } from './EntryGrid'
import { placesGiven, sharedNotice, sharedPlaces } from './places-given'

interface CategorySectionProps {
  award: Award
  category: string
  query: UseQueryResult<JudgedEntry[]>
  /** Content below the entries. */
  children?: ReactNode
}

/** One category of an award: the number of entries with a place, the places that have been given, and the entries. */
export function CategorySection({ award, category, query, children }: CategorySectionProps) {
  const { data: entries, isError, refetch } = query
  const id = `${award}-${category}`
  return (
    <section aria-labelledby={id} className="mb-12">
      <div className="mb-5 flex flex-wrap items-end justify-between gap-x-8 gap-y-2">
        <h2 id={id} className="text-[1.375rem]">
          {category}
        </h2>
        {entries && entries.length > 0 ? (
          <p role="status" className="text-muted-foreground">
            {entries.filter(({ place }) => place !== null).length} of {entries.length} entries placed · {placesGiven(entries)}
          </p>
        ) : null}
      </div>
      {isError ? (
        <p role="alert" className="mb-4 flex flex-wrap items-center gap-4 font-strong text-destructive">
          The entries could not be read.
          <Button size="sm" variant="outline" onClick={() => void refetch()}>
            Try again
          </Button>
        </p>
      ) : null}
      {entries === undefined && !isError ? <p role="status">Loading...</p> : null}
      {entries?.length === 0 ? <p>No entries found for this category</p> : null}
      {entries && entries.length > 0 ? (
        <>
          {sharedNotice(entries).map((notice) => (
            <p key={notice} role="status" className="mb-4 flex gap-2 font-strong">
              <CircleAlert aria-hidden className="mt-0.5" />
              {notice}
            </p>
          ))}
          <EntryGrid entries={entries} shared={sharedPlaces(entries)} />
        </>
      ) : null}
      {children}
    </section>
  )
}
