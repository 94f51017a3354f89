import { render, screen } from '@testing-library/react'
import { RouterProvider, createBrowserRouter } from 'react-router'
import { expect, it } from 'vitest'
import { useDashboardAddress } from './use-dashboard-address'

/** Two components that change the same URL at the same time, as the search and the list of entries do. */
function View() {
  return ['a', 'b'].map((name) => <Part key={name} name={name} />)
}

function Part({ name }: { name: string }) {
  const { value, setValues } = useDashboardAddress()
  return (
    <button onClick={() => setValues({ [name]: '1' })}>
      {name} {value('a')} {value('b')}
    </button>
  )
}

it('keeps a change that is not rendered yet when another part of the page changes the URL', async () => {
  render(<RouterProvider router={createBrowserRouter([{ path: '/', element: <View /> }])} />)
  // `act` is not used, because it renders each change before it returns.
  for (const button of screen.getAllByRole('button')) button.dispatchEvent(new MouseEvent('click', { bubbles: true }))
  expect(window.location.search).toBe('?a=1&b=1')
  expect(await screen.findByRole('button', { name: 'b 1 1' })).toBeDefined()
})
