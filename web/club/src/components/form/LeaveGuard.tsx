import { Suspense, useEffect } from 'react'
import { useBlocker } from 'react-router'
import { lazyPart } from '@/components/lazy-part'
import { keepsDrafts } from '@/lib/new-build'

const loadDialog = () => import('./LeaveDialog')
const LeaveDialog = lazyPart(loadDialog, LeavePlainly)

/**
 * Asks for confirmation before the user leaves a form with unsent input: for links inside the site with a dialog of the page, for closing the tab
 * with the browser's own dialog.
 */
export function LeaveGuard({ unsent }: { unsent: boolean }) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      unsent && (currentLocation.pathname !== nextLocation.pathname || currentLocation.search !== nextLocation.search),
  )

  useEffect(() => {
    if (!unsent) return
    // Load the dialog's code now, because there may be no network later, when the dialog is needed.
    void loadDialog().catch(() => undefined)
    const ask = (event: BeforeUnloadEvent) => {
      if (!keepsDrafts()) event.preventDefault()
    }
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

/** The browser's own dialog, used if the dialog's code could not be fetched. */
function LeavePlainly({ props: { onStay, onLeave } }: { props: { onStay: () => void; onLeave: () => void } }) {
  useEffect(() => {
    if (window.confirm('Leave this form? What you typed stays on this device as a draft.')) onLeave()
    else onStay()
  }, [onStay, onLeave])
  return null
}
