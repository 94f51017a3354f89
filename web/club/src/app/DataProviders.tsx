import { QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import { Outlet } from 'react-router'
import { createQueryClient } from '@/lib/query-client'

/** Wraps every route that reads from the server: a common query cache, which is discarded when these routes are left. */
export function Component() {
  const [client] = useState(createQueryClient)
  return (
    <QueryClientProvider client={client}>
      <Outlet />
    </QueryClientProvider>
  )
}
