import { cn } from '@cloch/ui/lib/cn'
import { awards, type Award } from '../shared/award'
import type { Count } from './school-totals'

interface MixBarProps {
  counts: Record<Award, Count>
  /** Length of the bar, relative to that of the school with the most entries: from 0 to 1. */
  share: number
  className?: string
}

/** A bar that shows the counts. The part for entries on paper is hatched. Screen readers ignore the bar, because the numbers are beside it. */
export function MixBar({ counts, share, className }: MixBarProps) {
  const parts = awards.flatMap((award) => [
    { key: award, value: counts[award].online, background: `var(--${award})` },
    {
      key: `${award}-offline`,
      value: counts[award].offline,
      background: `repeating-linear-gradient(135deg, var(--${award}) 0 3px, var(--card) 3px 6px)`,
    },
  ])
  return (
    <div aria-hidden className={cn('flex h-3 gap-0.5', className)} style={{ width: `${share * 100}%` }}>
      {parts
        .filter(({ value }) => value > 0)
        .map(({ key, value, background }) => (
          <span key={key} className="min-w-1.5" style={{ flex: `${value} 0 0`, background }} />
        ))}
    </div>
  )
}
