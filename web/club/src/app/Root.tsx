import { lazy, Suspense, useSyncExternalStore } from 'react'
import { Outlet, ScrollRestoration, useLocation } from 'react-router'
import { isToasterWanted, onToasterWanted } from '@cloch/ui/lib/toaster-place'
import { OfflineNotice } from './frame/OfflineNotice'
import { PreviewNotice } from './frame/PreviewNotice'

const Toaster = lazy(() => import('@cloch/ui/components/toaster'))
const office = /^\/(admin|judging|setup-admin)(\/|$)/

/** What stands around every page: messages, the notice that the network is away, and the scroll position. */
export function Root() {
  const { pathname } = useLocation()
  const toaster = useSyncExternalStore(onToasterWanted, isToasterWanted, () => false)
  return (
    <>
      <OfflineNotice />
      <PreviewNotice />
      <Outlet />
      <ScrollRestoration />
      {toaster ? (
        <Suspense>
          <Toaster place={office.test(pathname) ? 'top-right' : 'bottom-right'} />
        </Suspense>
      ) : null}
    </>
  )
}
