import { Pencil } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '@cloch/ui/components/button'
import { cn } from '@cloch/ui/lib/cn'

interface RecordRowProps {
  name: string
  /** Shown beside the name. */
  badge?: ReactNode
  children: ReactNode
  /** Classes that place the children in columns beside the name, on wide screens. */
  columns?: string
  onEdit: () => void
}

/** A record in a list, with a button that edits it. */
export function RecordRow({ name, badge, children, columns, onEdit }: RecordRowProps) {
  return (
    <article className="flex items-start justify-between gap-4 border-b py-4">
      <div className={cn('min-w-0 [overflow-wrap:anywhere]', columns)}>
        <h3 className="flex flex-wrap items-center gap-x-3 gap-y-1.5 font-sans text-[1.0625rem] leading-snug font-bold tracking-normal">
          {name}
          {badge}
        </h3>
        {children}
      </div>
      <Button size="sm" variant="ghost" className="no-print" onClick={onEdit} aria-label={`Edit ${name}`}>
        <Pencil aria-hidden />
        Edit
      </Button>
    </article>
  )
}
