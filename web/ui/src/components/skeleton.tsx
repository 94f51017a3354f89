import type { ComponentProps } from 'react'
import { cn } from '../lib/cn'

/** A grey block, shown while content is loading. It has the size of the content. */
export function Skeleton({ className, ...props }: ComponentProps<'div'>) {
  return <div aria-hidden className={cn('rounded bg-muted', className)} {...props} />
}
