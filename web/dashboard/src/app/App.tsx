import { QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import { RouterProvider } from 'react-router/dom'
import { createQueryClient } from '@/lib/query-client'
import { followSession } from '@/lib/session'
import { Toasts } from '@/components/Toasts'
import { createRouter } from './routes'

export function App() {
  const [client] = useState(() => {
    const made = createQueryClient()
    followSession(made)
    return made
  })
  const [router] = useState(createRouter)
  return (
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
      <Toasts />
    </QueryClientProvider>
  )
}
