import { useEffect, useState, useSyncExternalStore, type ComponentType } from 'react'
import { Outlet, ScrollRestoration, useLocation } from 'react-router'
import { PlainNotices } from '@cloch/ui/components/plain-notices'
import { isToasterWanted, onToasterWanted, toasterFailed } from '@cloch/ui/lib/toaster-place'
import { checkForNewBuild } from '@/lib/new-build'
import { OfflineNotice } from './frame/OfflineNotice'
import { PreviewNotice } from './frame/PreviewNotice'
import { NewBuildNotice } from './frame/NewBuildNotice'

const office = /^\/(admin|judging|setup-admin)(\/|$)/

type Toaster = ComponentType<{ place: 'bottom-right' | 'top-right' }>

/** Frame of every page: messages, notices about a lost network or a new build of the site, and the scroll position. */
export function Root() {
  return (
    <>
      <OfflineNotice />
      <PreviewNotice />
      <NewBuildNotice />
      <Outlet />
      <ScrollRestoration />
      <PlainNotices />
      <Messages />
    </>
  )
}

/**
 * The container for messages, fetched when the first message is expected. If its code cannot be fetched, messages are shown in a plain form, and the
 * page stays.
 */
function Messages() {
  const { pathname } = useLocation()
  const wanted = useSyncExternalStore(onToasterWanted, isToasterWanted, () => false)
  const [fetched, setFetched] = useState<{ Toaster: Toaster }>()
  useEffect(() => {
    if (!wanted || fetched) return
    import('@cloch/ui/components/toaster').then(
      (module) => setFetched({ Toaster: module.default }),
      (error: unknown) => {
        toasterFailed(error)
        void checkForNewBuild()
      },
    )
  }, [wanted, fetched])
  // Open dialogs hide everything outside them from screen readers, except live regions that exist when they open. So this live region exists before
  // the first message.
  return (
    <div aria-live="off">
      {fetched ? <fetched.Toaster place={office.test(pathname) ? 'top-right' : 'bottom-right'} /> : null}
    </div>
  )
}
