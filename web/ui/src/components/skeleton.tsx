import type { ComponentProps } from 'react'
import { cn } from '../lib/cn'

/** A grey block of the size of the content that is loading. */
export function Skeleton({ className, ...props }: ComponentProps<'div'>) {
  return <div aria-hidden className={cn('rounded bg-muted', className)} {...props} />
}
