import type { UseQueryResult } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { notifyError } from '@cloch/ui/lib/notify'
import { ListState } from './ListState'

vi.mock('@cloch/ui/lib/notify', () => ({ notifyError: vi.fn() }))

const query = (data: string[] | undefined, isError: boolean) => {
  const refetch = vi.fn(() => Promise.resolve())
  return { refetch, query: { data, isError, refetch } as unknown as UseQueryResult<string[]> }
}

it('reports the failure of an additional list, and loads this list again', async () => {
  const contacts = query(['Morven'], false)
  const schools = query(undefined, true)
  render(
    <ListState query={contacts.query} others={[schools.query]} failed="Failed to load contact data">
      {(names) => <p>{names.join()}</p>}
    </ListState>,
  )
  expect(screen.getByRole('alert')).toHaveTextContent('Failed to load contact data')
  expect(screen.getByText('Morven')).toBeVisible()
  expect(notifyError).toHaveBeenCalledExactlyOnceWith({ title: 'Error', description: 'Failed to load contact data' })
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(schools.refetch).toHaveBeenCalledOnce()
  expect(contacts.refetch).not.toHaveBeenCalled()
})

it('shows nothing if everything was loaded', () => {
  render(
    <ListState query={query(['Morven'], false).query} others={[query([], false).query]} failed="Failed">
      {(names) => <p>{names.join()}</p>}
    </ListState>,
  )
  expect(screen.queryByRole('alert')).toBeNull()
})
