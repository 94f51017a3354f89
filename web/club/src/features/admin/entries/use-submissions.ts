import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo } from 'react'
import { notifyError } from '@cloch/ui/lib/notify'
import { artistEntriesQuery } from './artist/queries/list-entries'
import { nominationsQuery } from './citizen/queries/list-nominations'
import { musicianEntriesQuery } from './musician/queries/list-entries'
import { photographerEntriesQuery } from './photographer/queries/list-entries'
import type { Entry } from './entry'
import type { Submissions } from './submissions'

/** The entries that are not withdrawn. */
function counting<E extends Entry>(entries: E[] | undefined): E[] | undefined {
  return entries?.filter(({ withdrawnAt }) => withdrawnAt === null)
}

/** Reads the entries of the four awards in parallel. */
export function useSubmissions(): Submissions {
  const citizen = useQuery(nominationsQuery)
  const musician = useQuery(musicianEntriesQuery)
  const photographer = useQuery(photographerEntriesQuery)
  const artist = useQuery(artistEntriesQuery)
  const failed = [citizen, musician, photographer, artist].some((query) => query.isError)

  useEffect(() => {
    if (failed) notifyError({ title: 'Error', description: 'Failed to fetch submissions' })
  }, [failed])

  const queries = useQueryClient()
  const retry = useCallback(
    () => void queries.refetchQueries({ queryKey: ['entries'], predicate: ({ state }) => state.status === 'error' }),
    [queries],
  )
  // The result is the same object until something changes. Therefore components are not rendered again without need.
  return useMemo(
    () => ({
      citizen: counting(citizen.data),
      musician: counting(musician.data),
      photographer: counting(photographer.data),
      artist: counting(artist.data),
      withdrawn: [citizen.data, musician.data, photographer.data, artist.data].flatMap((entries): Entry[] =>
        (entries ?? []).filter(({ withdrawnAt }) => withdrawnAt !== null),
      ),
      failed,
      retry,
    }),
    [citizen.data, musician.data, photographer.data, artist.data, failed, retry],
  )
}
