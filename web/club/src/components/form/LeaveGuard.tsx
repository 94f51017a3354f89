import { lazy, Suspense, useEffect } from 'react'
import { useBlocker } from 'react-router'

const LeaveDialog = lazy(() => import('./LeaveDialog'))

/** Asks before a form with unsent work is left: inside the site with a dialog, on closing the tab with the browser's own question. */
export function LeaveGuard({ unsent }: { unsent: boolean }) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      unsent && (currentLocation.pathname !== nextLocation.pathname || currentLocation.search !== nextLocation.search),
  )

  useEffect(() => {
    if (!unsent) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [unsent])

  if (blocker.state !== 'blocked') return null
  return (
    <Suspense>
      <LeaveDialog onStay={() => blocker.reset()} onLeave={() => blocker.proceed()} />
    </Suspense>
  )
}
