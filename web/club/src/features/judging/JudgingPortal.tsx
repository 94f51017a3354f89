import { LogOut } from 'lucide-react'
import { Tabs as Radix } from 'radix-ui'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import { Mark } from '@cloch/ui/components/mark'
import { Button } from '@cloch/ui/components/button'
import { cn } from '@cloch/ui/lib/cn'
import { awardNames, categories, judgedAwards, type JudgedAward } from './awards'
import { CategorySection } from './CategorySection'
import { EntryTotals } from './EntryTotals'
import { createJudgeClient, JudgeClient } from './judge-client'
import { useFollow } from './use-follow'

/** Complete class names, because Tailwind only finds those in the source. */
const bands: Record<JudgedAward, string> = {
  artist: 'data-[state=active]:border-b-artist',
  photographer: 'data-[state=active]:border-b-photographer',
}

/** The judging portal. @param token the token of the pass; requests are sent with the rights of this token */
export default function JudgingPortal({ token, onLogout }: { token: string; onLogout: () => void }) {
  const client = useMemo(() => createJudgeClient(token), [token])
  return (
    <JudgeClient value={client}>
      <Judging onLogout={onLogout} />
    </JudgeClient>
  )
}

/** The totals, and the entries of the two awards. */
function Judging({ onLogout }: { onLogout: () => void }) {
  const [award, setAward] = useState<JudgedAward>('artist')
  useFollow()
  return (
    <div className="text-base leading-normal">
      <header data-above-notices className="border-b bg-card">
        <div className="flex flex-wrap items-center justify-between gap-4 px-[clamp(1.125rem,2.5vw,2rem)] py-3.5">
          <Link to="/" className="brand m-0 py-0">
            <Mark />
            <span>
              <span className="brand-name">Judging portal</span>
              <span className="brand-tagline">Young Artist and Young Photographer</span>
            </span>
          </Link>
          <Button size="sm" variant="outline" onClick={onLogout}>
            <LogOut aria-hidden />
            Logout
          </Button>
        </div>
      </header>
      <main className="wide pt-8 pb-20">
        <h1 className="sr-only">Judging portal</h1>
        <EntryTotals />
        <Radix.Root value={award} onValueChange={(value) => setAward(value as JudgedAward)}>
          <Radix.List aria-label="Award" className="mt-6 mb-8 grid grid-cols-2 border-b">
            {judgedAwards.map((name) => (
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
            {categories.map((category) => (
              <CategorySection key={`${award}-${category}`} award={award} category={category} />
            ))}
          </Radix.Content>
        </Radix.Root>
      </main>
    </div>
  )
}
