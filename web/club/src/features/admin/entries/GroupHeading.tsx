import type { ReactNode } from 'react'

interface GroupHeadingProps {
  title: string
  count: number
  /** Content at the right of the heading. */
  action?: ReactNode
}

/** Heading of a group of entries: the name of the school. */
export function GroupHeading({ title, count, action }: GroupHeadingProps) {
  return (
    <header className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b-3 border-foreground pt-7 pb-2">
      <h2 className="text-[1.25rem] leading-tight">{title}</h2>
      <span className="text-muted-foreground">{count === 1 ? '1 entry' : `${count} entries`}</span>
      {action ? <div className="ml-auto">{action}</div> : null}
    </header>
  )
}
