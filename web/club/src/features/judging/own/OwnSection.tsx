import { useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { formatMoment } from '@/lib/dates'
import { Button } from '@cloch/ui/components/button'
import { CategorySection } from '../CategorySection'
import { useJudgeClient } from '../judge-client'
import { useFinish } from './finish'
import { ownEntriesQuery } from './own-entries'
import { categoryName, type OwnSection as Section } from './own-judging'

/** One category of the judge: its entries, and whether the judge has finished it. */
export function OwnSection({ section }: { section: Section }) {
  const query = useQuery(ownEntriesQuery(useJudgeClient(), section.award, section.category))
  const name = categoryName(section.category)
  return (
    <CategorySection award={section.award} category={name} query={query}>
      {query.data && query.data.length > 0 ? <Finish section={section} name={name} /> : null}
    </CategorySection>
  )
}

function Finish({ section, name }: { section: Section; name: string }) {
  const { mutate, isPending } = useFinish(section)
  const finishedAt = section.finishedAt
  return (
    <div className="mt-6 flex flex-wrap items-center gap-x-6 gap-y-3 border-t-[3px] border-foreground pt-4">
      <p role="status" className="font-strong">
        {finishedAt === null ? (
          'When you have given your places, tell the club.'
        ) : (
          <>
            <Check aria-hidden className="mr-1.5 inline text-success" />
            You finished {name} on {formatMoment(finishedAt)}.
          </>
        )}
      </p>
      <Button
        variant={finishedAt === null ? 'default' : 'outline'}
        disabled={isPending}
        aria-busy={isPending}
        onClick={() => mutate(finishedAt === null)}
      >
        {finishedAt === null ? `I have finished ${name}` : `Open ${name} again`}
      </Button>
    </div>
  )
}
