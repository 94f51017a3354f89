import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { cn } from '@cloch/ui/lib/cn'
import { awardNames, type Award } from './awards'

/** Complete class names, because Tailwind only finds complete names in the source. */
const bands: Record<Award, string> = {
  citizen: 'data-[state=active]:border-b-citizen',
  musician: 'data-[state=active]:border-b-musician',
  artist: 'data-[state=active]:border-b-artist',
  photographer: 'data-[state=active]:border-b-photographer',
}

interface AwardTabsProps<Name extends Award> {
  awards: readonly Name[]
  award: Name
  onChoose: (award: Name) => void
  /** The categories of the chosen award. */
  children: ReactNode
}

/** One tab for each award to judge. */
export function AwardTabs<Name extends Award>({ awards, award, onChoose, children }: AwardTabsProps<Name>) {
  return (
    <Radix.Root value={award} onValueChange={(value) => onChoose(value as Name)}>
      <Radix.List
        aria-label="Award"
        className="mt-6 mb-8 grid auto-cols-fr grid-cols-2 border-b md:grid-flow-col md:grid-cols-none"
      >
        {awards.map((name) => (
          <Radix.Trigger
            key={name}
            value={name}
            className={cn(
              'flex min-h-15 items-center justify-center border-y-8 border-transparent px-2 text-center font-display text-[clamp(1.0625rem,.9rem+.8vw,1.375rem)] leading-tight font-bold text-muted-foreground focus-visible:-outline-offset-4 data-[state=active]:text-foreground',
              bands[name],
            )}
          >
            {awardNames[name].full}
          </Radix.Trigger>
        ))}
      </Radix.List>
      <Radix.Content value={award} tabIndex={-1}>
        {children}
      </Radix.Content>
    </Radix.Root>
  )
}
