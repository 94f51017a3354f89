import { useEffect } from 'react'
import type { createBrowserRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'

interface AppProps {
  router: ReturnType<typeof createBrowserRouter>
  /** Called when the page is rendered or hydrated. */
  onStanding: () => void
}

export function App({ router, onStanding }: AppProps) {
  useEffect(onStanding, [onStanding])
  return <RouterProvider router={router} />
}
