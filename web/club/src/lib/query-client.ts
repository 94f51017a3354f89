import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { isSessionLost } from './errors'

const minute = 60_000

/** Milliseconds to wait before the next attempt: 1 s, 2 s, 4 s and so on, at most 30 s. */
export function retryDelay(attempt: number): number {
  return Math.min(1000 * 2 ** attempt, 30_000)
}

/** Event that is dispatched when a request was refused because the session has ended. */
export const sessionLostEvent = 'club:session-lost'

const onError = (error: Error) => {
  if (isSessionLost(error)) window.dispatchEvent(new Event(sessionLostEvent))
}
const retry = (attempts: number, error: Error) => attempts < 3 && !isSessionLost(error)

/** Data stays fresh for five minutes. A failed read is retried three times; a write is never retried automatically. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { staleTime: 5 * minute, retry, retryDelay },
      mutations: { retry: 0 },
    },
  })
}
