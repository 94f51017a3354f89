import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { AwardTabs } from './AwardTabs'
import { categories, judgedAwards, type Category, type JudgedAward } from './awards'
import { CategorySection } from './CategorySection'
import { EntryTotals } from './EntryTotals'
import { createJudgeClient, JudgeClient, useJudgeClient } from './judge-client'
import { PortalFrame } from './PortalFrame'
import { entriesQuery } from './queries/list-entries'
import { useFollow } from './use-follow'

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
    <PortalFrame tagline="Young Artist and Young Photographer" onLogout={onLogout}>
      <EntryTotals />
      <AwardTabs awards={judgedAwards} award={award} onChoose={setAward}>
        {categories.map((category) => (
          <Section key={`${award}-${category}`} award={award} category={category} />
        ))}
      </AwardTabs>
    </PortalFrame>
  )
}

function Section({ award, category }: { award: JudgedAward; category: Category }) {
  const query = useQuery(entriesQuery(useJudgeClient(), award, category))
  return <CategorySection award={award} category={category} query={query} />
}
