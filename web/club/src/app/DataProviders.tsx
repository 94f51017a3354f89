import { QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import { Outlet } from 'react-router'
import { createQueryClient } from '@/lib/query-client'

/** The parent of all routes that read from the server. These routes share one query cache, which is discarded when the user leaves them. */
export function Component() {
  const [client] = useState(createQueryClient)
  return (
    <QueryClientProvider client={client}>
      <Outlet />
    </QueryClientProvider>
  )
}
