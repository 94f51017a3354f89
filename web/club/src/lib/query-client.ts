import { QueryClient } from '@tanstack/react-query'

const minute = 60_000

/** Waits 1 s, 2 s, 4 s … between attempts, 30 s at most. */
export function retryDelay(attempt: number): number {
  return Math.min(1000 * 2 ** attempt, 30_000)
}

/** Reads are fresh for five minutes and tried three times more; writes are never repeated behind the user's back. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: 5 * minute, retry: 3, retryDelay },
      mutations: { retry: 0 },
    },
  })
}
