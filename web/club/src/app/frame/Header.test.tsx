import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { describe, expect, it } from 'vitest'
import { Header } from './Header'

function open() {
  // As in the site's frame, both pages share one header, so a navigation does not mount the header again.
  const pages = ['/', '/about'].map((path) => ({ path, element: null }))
  const router = createMemoryRouter([{ element: <Header />, children: pages }], { initialEntries: ['/', '/about'] })
  render(<RouterProvider router={router} />)
  return router
}

const drawer = () => screen.queryByRole('dialog', { name: 'Menu' })

describe('the drawer', () => {
  it('closes when the browser goes back, and stays closed when it goes forward again', async () => {
    const router = open()
    await userEvent.click(screen.getByRole('button', { name: 'Menu' }))
    expect(await screen.findByRole('dialog', { name: 'Menu' })).toBeVisible()
    await act(() => router.navigate(-1))
    expect(router.state.location.pathname).toBe('/')
    await waitFor(() => expect(drawer()).toBeNull())
    await act(() => router.navigate(1))
    expect(router.state.location.pathname).toBe('/about')
    expect(drawer()).toBeNull()
  })
})
