import { CircleAlert, CircleCheck, CircleSlash, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { cn } from '@cloch/ui/lib/cn'
import { Loading } from '@/components/states'
import { Button } from '@cloch/ui/components/button'
import { describeError } from '@/lib/notify'
import type { Level, Verdict } from './verdict'

const looks = {
  ok: { icon: CircleCheck, word: 'Healthy', text: 'text-success', edge: 'border-l-success' },
  warning: { icon: TriangleAlert, word: 'Warning', text: 'text-warning', edge: 'border-l-warning' },
  problem: { icon: CircleAlert, word: 'Problem', text: 'text-destructive', edge: 'border-l-destructive' },
  off: { icon: CircleSlash, word: 'Not in use', text: 'text-muted-foreground', edge: 'border-l-input' },
} as const satisfies Record<Level, unknown>

/** State of a query that the card needs: it has data, is loading, or has failed. */
export interface Read {
  isPending: boolean
  error: unknown
  refetch: () => unknown
}

interface HealthCardProps {
  title: string
  to: string
  /** The assessment of the part. `undefined` while data is loading, or if loading failed. */
  verdict: Verdict | undefined
  /** The queries that the card needs. */
  reads: readonly Read[]
  /** A small chart. */
  children?: ReactNode
}

/** A card for one part of the project's health: state, key figure and explanation. Its title links to the part's page. */
export function HealthCard({ title, to, verdict, reads, children }: HealthCardProps) {
  const failed = reads.find(({ error }) => error)
  const look = verdict ? looks[verdict.level] : undefined
  const Icon = look?.icon
  return (
    <li
      className={cn('grid content-start gap-1.5 rounded border border-l-6 bg-card p-3 pl-3.5', look?.edge ?? 'border-l-input')}
    >
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <h3 className="text-h3">
          <Link to={to}>{title}</Link>
        </h3>
        {look && Icon && (
          <span className={cn('flex items-center gap-1.5 text-small font-strong', look.text)}>
            <Icon aria-hidden />
            {look.word}
          </span>
        )}
      </div>
      {verdict ? (
        <>
          <p className="font-display text-[1.375rem] leading-tight font-bold">{verdict.figure}</p>
          {children}
          {verdict.says.map((sentence) => (
            <p key={sentence} className="text-small text-pretty break-words text-muted-foreground">
              {sentence}
            </p>
          ))}
        </>
      ) : failed ? (
        <div role="alert" className="grid justify-items-start gap-2 text-small text-destructive">
          <p>It could not be read. {describeError(failed.error)}</p>
          <Button
            variant="outline"
            size="compact"
            aria-label={`Try again: ${title}`}
            onClick={() => reads.forEach(({ error, refetch }) => error && void refetch())}
          >
            Try again
          </Button>
        </div>
      ) : (
        <Loading what={title} className="h-20" />
      )}
    </li>
  )
}
