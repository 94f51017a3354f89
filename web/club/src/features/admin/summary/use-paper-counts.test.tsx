import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderHook, waitFor } from '@testing-library/react'
import type { PropsWithChildren } from 'react'
import { expect, it, vi } from 'vitest'
import { connect } from '@/lib/supabase'
import { notifyError } from '@cloch/ui/lib/notify'
import type { Submissions } from '../entries/submissions'
import { usePaperCounts } from './use-paper-counts'

vi.mock('@/lib/supabase', () => ({ connect: vi.fn() }))
vi.mock('@cloch/ui/lib/notify', () => ({ notifyError: vi.fn() }))

const submissions: Submissions = {
  citizen: [],
  musician: [],
  photographer: [],
  artist: [],
  withdrawn: [],
  failed: false,
  retry: vi.fn(),
}

function show(of: Submissions) {
  vi.mocked(connect).mockRejectedValue(new Error('away'))
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const wrapper = ({ children }: PropsWithChildren) => <QueryClientProvider client={queries}>{children}</QueryClientProvider>
  return renderHook(() => usePaperCounts(of), { wrapper }).result
}

it('paper counts that cannot be loaded are reported, are not zero, and are loaded again', async () => {
  const result = show(submissions)
  await waitFor(() => expect(result.current.failed).toBe(true))
  expect(result.current.isLoaded).toBe(false)
  expect(notifyError).toHaveBeenCalledExactlyOnceWith({ title: 'Error', description: 'Failed to fetch submissions' })
  const calls = vi.mocked(connect).mock.calls.length
  result.current.retry()
  await waitFor(() => expect(vi.mocked(connect).mock.calls.length).toBeGreaterThan(calls))
  expect(submissions.retry).not.toHaveBeenCalled()
})

it('are not reported a second time if the submissions failed too', async () => {
  vi.mocked(notifyError).mockClear()
  const result = show({ ...submissions, failed: true })
  await waitFor(() => expect(vi.mocked(connect)).toHaveBeenCalled())
  expect(result.current.failed).toBe(true)
  expect(notifyError).not.toHaveBeenCalled()
})
