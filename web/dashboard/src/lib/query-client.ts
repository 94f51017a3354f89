import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api'

/** Milliseconds for which data is fresh: a page that is opened again within this time shows it without a request. */
const staleMs = 10_000

/** Reads are retried once if there was no response, but not if the server refused them. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // The browser may report that it is offline although it reaches a server on the same machine, so requests are always sent.
      queries: {
        networkMode: 'always',
        staleTime: staleMs,
        retry: (count, error) => count < 1 && (!(error instanceof ApiError) || error.status === 0 || error.status === 503),
      },
      mutations: { networkMode: 'always', retry: 0 },
    },
  })
}
