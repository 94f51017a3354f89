import type { ComponentProps } from 'react'
import { cn } from '../lib/cn'

/** A still block in the size of what is coming. */
export function Skeleton({ className, ...props }: ComponentProps<'div'>) {
  return <div aria-hidden className={cn('rounded bg-muted', className)} {...props} />
}
