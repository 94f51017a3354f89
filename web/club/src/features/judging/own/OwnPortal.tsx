import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { AwardTabs } from '../AwardTabs'
import { awardNames, type Award } from '../awards'
import { TotalsFrame } from '../EntryTotals'
import { createJudgeClient, JudgeClient, useJudgeClient } from '../judge-client'
import { MarkingContext, type Marking } from '../marking/marking'
import { ownMarking } from '../marking/own-marking'
import { PortalFrame } from '../PortalFrame'
import { awardsOf, categoryName, LinkEnded, ownJudgingQuery, type OwnJudging } from './own-judging'
import { OwnSection } from './OwnSection'
import { useOwnFollow } from './use-own-follow'

interface OwnPortalProps {
  /** The token of the pass; requests are sent with the rights of this token. */
  token: string
  onLogout: () => void
  /** Called when the link has ended. */
  onEnd: () => void
}

/** The judging portal of a judge with a link: the judge's categories, with places and scores of the judge's own. */
export default function OwnPortal({ token, onLogout, onEnd }: OwnPortalProps) {
  const client = useMemo(() => createJudgeClient(token), [token])
  return (
    <JudgeClient value={client}>
      <Opened onLogout={onLogout} onEnd={onEnd} />
    </JudgeClient>
  )
}

function Opened({ onLogout, onEnd }: Omit<OwnPortalProps, 'token'>) {
  const { data, error, refetch } = useQuery(ownJudgingQuery(useJudgeClient()))
  const hasEnded = error instanceof LinkEnded
  useOwnFollow(hasEnded ? undefined : data?.channel)
  const end = useEffectEvent(onEnd)
  useEffect(() => {
    if (hasEnded) end()
  }, [hasEnded])
  return (
    <PortalFrame tagline={data?.judge ?? ''} onLogout={onLogout}>
      {error && !hasEnded ? (
        <p role="alert" className="mb-4 flex flex-wrap items-center gap-4 font-strong text-destructive">
          Your categories could not be read.
          <Button size="sm" variant="outline" onClick={() => void refetch()}>
            Try again
          </Button>
        </p>
      ) : null}
      {data === undefined && !error ? <p role="status">Loading...</p> : null}
      {data ? <Judging judging={data} /> : null}
    </PortalFrame>
  )
}

function Judging({ judging }: { judging: OwnJudging }) {
  const { judge, sections, criteria } = judging
  const awards = awardsOf(sections)
  const [chosen, setChosen] = useState<Award>()
  const marking = useMemo<Marking>(
    () => ({
      ...ownMarking,
      criteria,
      isFinished: ({ award, category }) =>
        sections.some(
          (section) => section.award === award && categoryName(section.category) === category && section.finishedAt !== null,
        ),
    }),
    [criteria, sections],
  )
  const award = awards.find((name) => name === chosen) ?? awards[0]
  if (award === undefined) return <p>No category is assigned to you yet. Please ask the club.</p>
  return (
    <MarkingContext value={marking}>
      <p className="mb-6 max-w-[38em]">
        You judge as <b>{judge}</b>. Places and scores that you give here are your own: no other judge sees them, and you see
        nobody else’s. The club settles the joint result.
      </p>
      <TotalsFrame
        totals={sections.map((section) => ({
          award: section.award,
          label: `${awardNames[section.award].short} - ${categoryName(section.category)}`,
          value: section.entries,
          note: section.finishedAt !== null ? 'Finished' : section.entries > 0 ? 'Not finished' : '',
        }))}
      />
      <AwardTabs awards={awards} award={award} onChoose={setChosen}>
        {sections
          .filter((section) => section.award === award)
          .map((section) => (
            <OwnSection key={`${award}-${section.category}`} section={section} />
          ))}
      </AwardTabs>
    </MarkingContext>
  )
}
