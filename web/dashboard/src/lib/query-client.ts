import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api'

/** Milliseconds for which data is fresh. If a page is opened again within this time, it shows the data without a new request. */
const staleMs = 10_000

/** Reads are retried once if there was no response. If the server refused a read, it is not retried. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // Requests are sent even if the browser reports that it is offline, because a server on the same machine can be reached without a network.
      queries: {
        networkMode: 'always',
        staleTime: staleMs,
        retry: (count, error) => count < 1 && (!(error instanceof ApiError) || error.status === 0 || error.status === 503),
      },
      mutations: { networkMode: 'always', retry: 0 },
    },
  })
}
