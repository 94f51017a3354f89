import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, render, renderHook, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { PropsWithChildren } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import { connect, type Supabase } from '@/lib/supabase'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { schoolsQuery, type School } from '../schools/queries/list-schools'
import type { Award } from '../shared/award'
import { AssignSchool } from './AssignSchool'
import { useAssignSchool } from './queries/assign-school'

vi.mock('@/lib/supabase', () => ({ connect: vi.fn() }))
vi.mock('@cloch/ui/lib/notify', () => ({ notifyError: vi.fn(), notifySuccess: vi.fn() }))

const columba = { id: 's', name: 'St Columba’s High School' }
const rpc = vi.fn()

function world(...schools: (typeof columba)[]) {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  queries.setQueryData(schoolsQuery.queryKey, schools as unknown as School[])
  return ({ children }: PropsWithChildren) => <QueryClientProvider client={queries}>{children}</QueryClientProvider>
}

beforeEach(() => {
  vi.clearAllMocks()
  vi.mocked(connect).mockResolvedValue({ rpc } as unknown as Supabase)
})

it.each<[Award, string]>([
  ['artist', 'Failed to assign art entries'],
  ['photographer', 'Failed to assign photographer entries'],
  ['musician', 'Failed to assign musician entries'],
  ['citizen', 'Failed to assign citizen entries'],
])('a failure under %s: %s', async (award, description) => {
  rpc.mockResolvedValue({ data: null, error: new Error('away') })
  const { result } = renderHook(() => useAssignSchool(), { wrapper: world() })
  act(() => result.current.mutate({ award, school: columba, entries: ['a'] }))
  await waitFor(() => expect(notifyError).toHaveBeenCalledExactlyOnceWith({ title: 'Error', description }))
})

it('changes the entries that the confirmation counts, and no others', async () => {
  rpc.mockResolvedValue({ data: ['a', 'b'], error: null })
  render(<AssignSchool award="artist" entries={['a', 'b']} />, { wrapper: world(columba) })
  await userEvent.click(screen.getByRole('button', { name: "Assign All to St Columba's" }))
  await userEvent.click(screen.getByRole('button', { name: 'Assign 2 entries' }))
  await waitFor(() => expect(notifySuccess).toHaveBeenCalledOnce())
  expect(rpc).toHaveBeenCalledExactlyOnceWith('give_school', { award: 'artist', school: 's', entries: ['a', 'b'] })
  expect(vi.mocked(notifySuccess).mock.calls[0]?.[0].description).toBe('Assigned 2 art entries to St Columba’s High School')
})

it('explains why the button is disabled', () => {
  render(<AssignSchool award="artist" entries={['a']} />, { wrapper: world() })
  const button = screen.getByRole('button', { name: "Assign All to St Columba's" })
  expect(button).toBeDisabled()
  expect(button).toHaveAccessibleDescription("There is no school named St Columba's yet.")
})
