import { queryOptions } from '@tanstack/react-query'
import * as z from 'zod'
import type { Supabase } from '@/lib/supabase'

const award = z.enum(['citizen', 'musician', 'photographer', 'artist'])

const schema = z.object({
  judge: z.string(),
  /** The private channel that sends the names of changed tables. */
  channel: z.string(),
  sections: z.array(z.object({ award, category: z.string(), entries: z.number(), finishedAt: z.string().nullable() })),
  criteria: z.array(z.object({ id: z.string(), award, name: z.string(), maximum: z.number() })),
})

export type OwnJudging = z.output<typeof schema>
export type OwnSection = OwnJudging['sections'][number]

/** Milliseconds between two polls. Polls find changes that realtime does not report, such as the end of the season at a certain time. */
export const ownPause = 30_000

/** Error: the link has been revoked or replaced, or its season is over. */
export class LinkEnded extends Error {}

/** SQLSTATE of a call that is not allowed, and error codes for a token that is no longer valid. */
const endedCodes = ['42501', 'PGRST301', 'PGRST303']

async function readOwnJudging(supabase: Supabase): Promise<OwnJudging> {
  const { data, error } = await supabase.rpc('own_judging')
  if (error) throw endedCodes.includes(error.code) ? new LinkEnded(error.message) : error
  return schema.parse(data)
}

/** Query for the judge's name, the categories to judge, and the criteria. */
export function ownJudgingQuery(supabase: Supabase) {
  return queryOptions({
    queryKey: ['judging-own'],
    queryFn: () => readOwnJudging(supabase),
    staleTime: 0,
    refetchInterval: ownPause,
    retry: (attempts, error) => attempts < 3 && !(error instanceof LinkEnded),
  })
}

/** Returns the displayed name of a category: "Senior" for "senior". */
export function categoryName(category: string): string {
  return category.charAt(0).toUpperCase() + category.slice(1)
}

/** Returns the awards of the sections, each once, in the order of the sections. */
export function awardsOf(sections: readonly OwnSection[]) {
  return [...new Set(sections.map((section) => section.award))]
}
