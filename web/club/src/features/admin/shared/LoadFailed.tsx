import { TriangleAlert } from 'lucide-react'
import { Button } from '@cloch/ui/components/button'

interface LoadFailedProps {
  children: string
  onRetry: () => void
}

/** Shown in place of data that could not be read. */
export function LoadFailed({ children, onRetry }: LoadFailedProps) {
  return (
    <div
      role="alert"
      className="mb-6 flex flex-wrap items-center gap-4 rounded border-3 border-destructive bg-destructive-wash p-4"
    >
      <TriangleAlert aria-hidden className="text-destructive" />
      <p className="font-strong">{children}</p>
      <Button size="sm" variant="outline" onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}
