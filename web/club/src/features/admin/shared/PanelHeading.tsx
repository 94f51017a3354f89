import type { ReactNode } from 'react'
import { FoldedActions } from './FoldedActions'

interface PanelHeadingProps {
  title: string
  /** A sentence under the title. */
  subtitle?: ReactNode
  children?: ReactNode
}

/** Header of a tab: its title, and actions at the right. */
export function PanelHeading({ title, subtitle, children }: PanelHeadingProps) {
  return (
    <div data-above-notices className="mb-7 flex flex-wrap items-center justify-between gap-x-6 gap-y-3 max-md:mb-4">
      <div className="max-md:min-w-0 max-md:flex-1">
        <h1 className="text-[clamp(1.5rem,1.35rem+.6vw,1.875rem)] leading-tight">{title}</h1>
        {subtitle ? <p className="text-muted-foreground">{subtitle}</p> : null}
      </div>
      {children ? <FoldedActions>{children}</FoldedActions> : null}
    </div>
  )
}
