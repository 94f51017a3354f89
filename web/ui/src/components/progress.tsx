import type { ComponentProps } from 'react'
import { cn } from '../lib/cn'

interface ProgressProps extends ComponentProps<'div'> {
  /** The completed part, from 0 to 1. */
  share: number
  label: string
}

export function Progress({ share, label, className, ...props }: ProgressProps) {
  const percent = Math.round(Math.min(Math.max(share, 0), 1) * 100)
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      className={cn('h-1.5 overflow-hidden rounded-badge bg-muted', className)}
      {...props}
    >
      <div className="h-full bg-ring" style={{ width: `${percent}%` }} />
    </div>
  )
}
