import type { ReactNode } from 'react'
import { cn } from '@cloch/ui/lib/cn'

interface SectionHeadProps {
  title: string
  id?: string
  /** A sentence under the title. */
  intro?: ReactNode
  /** A link at the right, on the line of the title. */
  action?: ReactNode
  className?: string
}

export function SectionHead({ title, id, intro, action, className }: SectionHeadProps) {
  return (
    <div
      className={cn('mb-[clamp(1.5rem,1rem+1.6vw,2.5rem)] flex flex-wrap items-end justify-between gap-x-8 gap-y-4', className)}
    >
      <h2 id={id} className="text-h2">
        {title}
      </h2>
      {action}
      {intro ? (
        <div className="order-3 basis-full text-muted-foreground">
          <p className="max-w-[38em]">{intro}</p>
        </div>
      ) : null}
    </div>
  )
}
