import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api'

/** Milliseconds for which an answer is fresh: a page opened again within them draws at once. */
const staleMs = 10_000

/** Reads are tried once more when no answer came; what the server refused is not asked again. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // A machine without a network reaches the server that runs on it: asking tells, the browser's word does not.
      queries: {
        networkMode: 'always',
        staleTime: staleMs,
        retry: (count, error) => count < 1 && (!(error instanceof ApiError) || error.status === 0 || error.status === 503),
      },
      mutations: { networkMode: 'always', retry: 0 },
    },
  })
}
