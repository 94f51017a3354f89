import { RefreshCw, TriangleAlert } from 'lucide-react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from '@cloch/ui/components/button'
import { cn } from '@cloch/ui/lib/cn'
import { ApiError } from '@/lib/api'
import { describeError } from '@/lib/notify'

/** Shown if a list is empty: one sentence and at most one action. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="grid max-w-[38em] justify-items-start gap-2 border-t-3 border-foreground py-5 [section_&]:border-t-0 [section_&]:py-1">
      <p className="font-strong">{title}</p>
      {children !== undefined && <div className="text-muted-foreground">{children}</div>}
      {action}
    </div>
  )
}

/** Whether the same error would occur again, so that a retry is useless: the object does not exist, or access is not allowed. */
const isFinal = (error: unknown) => error instanceof ApiError && [403, 404].includes(error.status)

export function Failed({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  return (
    <div
      role="alert"
      className="grid max-w-[44em] justify-items-start gap-2 rounded border-l-6 border-destructive bg-destructive-wash p-4"
    >
      <p className="flex items-start gap-2 text-destructive">
        <TriangleAlert aria-hidden className="mt-0.5" />
        <span>{describeError(error)}</span>
      </p>
      {onRetry && !isFinal(error) && (
        <Button variant="outline" size="compact" onClick={onRetry}>
          <RefreshCw aria-hidden />
          Try again
        </Button>
      )}
    </div>
  )
}

/** Shows the error of a change that the server refused, at the place of the change. */
export function Refused({ error, className }: { error: unknown; className?: string }) {
  return (
    <p role="alert" className={cn('rounded border-l-6 border-destructive bg-destructive-wash p-3 text-destructive', className)}>
      {describeError(error)}
    </p>
  )
}

/** Shown while data is being read: a text for screen readers, and a grey block of the same size as the content. */
export function Loading({ what, className = 'h-40' }: { what: string; className?: string }) {
  return (
    <div role="status" className={`grid place-items-center rounded bg-muted text-muted-foreground ${className}`}>
      Loading {what}…
    </div>
  )
}

/** Shows the data of a query. While there is no data, shows in the same place that it is loading, or its error. */
export function Result<T>({
  query,
  what,
  children,
}: {
  query: UseQueryResult<T>
  what: string
  children: (data: T) => ReactNode
}) {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <Failed error={query.error} onRetry={() => void query.refetch()} />
  return <Loading what={what} />
}
