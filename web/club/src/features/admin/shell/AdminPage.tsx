import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { usePage } from '@/lib/use-page'
import { Dashboard } from './Dashboard'
import { beginFirstQueries } from './first-queries'
import { useAdminAccess } from './use-admin-access'

/** The back-office. Only admins see it: the server is asked for the user's role. */
export function Component() {
  const { email, logout } = useAdminAccess()
  usePage({ title: 'Youth Awards', description: 'The back-office of the youth awards.' })
  const queries = useQueryClient()
  useEffect(() => {
    beginFirstQueries(queries).catch(() => undefined)
  }, [queries])
  if (email === undefined) return <Checking />
  return <Dashboard email={email} onLogout={(scope) => void logout(scope)} />
}

function Checking() {
  return (
    <main className="grid min-h-dvh place-content-center justify-items-center gap-4" role="status">
      <span aria-hidden className="size-10 animate-spin rounded-full border-4 border-border border-t-foreground" />
      Loading...
    </main>
  )
}
