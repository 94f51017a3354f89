import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import * as z from 'zod'
import { messageOf } from '@/lib/errors'
import { connect } from '@/lib/supabase'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import type { Section } from '../sections'

const schema = z.object({
  /** Identifies exactly this content. */
  state: z.string(),
  judges: z.array(z.object({ id: z.string(), name: z.string(), finishedAt: z.string().nullable() })),
  criteria: z.array(z.object({ id: z.string(), name: z.string(), maximum: z.number() })),
  entries: z.array(
    z.object({
      id: z.string(),
      entrant: z.string(),
      school: z.string().nullable(),
      title: z.string().nullable(),
      /** The place that is settled now. */
      place: z.number().nullable(),
      marks: z.array(
        z.object({
          judge: z.string(),
          place: z.number().nullable(),
          known: z.boolean(),
          scores: z.record(z.string(), z.number()),
        }),
      ),
    }),
  ),
})

export type JointResult = z.output<typeof schema>
export type JointEntry = JointResult['entries'][number]

async function readJointResult({ award, category }: Section): Promise<JointResult> {
  const supabase = await connect()
  const { data, error } = await supabase.rpc('joint_result', { award, category })
  if (error) throw error
  return schema.parse(data)
}

/** Query for the marks that the judges of a category have given. */
export function jointResultQuery(section: Section) {
  return queryOptions({
    queryKey: ['joint-result', section.award, section.category],
    queryFn: () => readJointResult(section),
  })
}

interface Settlement {
  /** The state of the result that the administrator has seen. */
  state: string
  places: Record<string, number>
}

/** Settles the places of a category if the result has not changed since the administrator saw it. */
export function useSettle({ award, category }: Section) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async ({ state, places }: Settlement) => {
      const supabase = await connect()
      const { data, error } = await supabase.rpc('settle_places', { award, category, state, places })
      if (error) throw error
      return data
    },
    onSuccess: (answer) =>
      answer === 'settled'
        ? notifySuccess({ title: 'Success', description: 'The places are settled' })
        : notifyError({
            title: 'Not settled',
            description: 'Something has changed meanwhile. What you see now is the present state.',
          }),
    onError: (error) => notifyError({ title: 'Error', description: messageOf(error) }),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['joint-result', award, category] }),
        queries.invalidateQueries({ queryKey: ['entries', award] }),
      ]),
  })
}
