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

/** Frame of every page: messages, notices (network lost, new build of the site), and the scroll position. */
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
 * The container for messages. Its code is fetched shortly before the first message. If the code cannot be fetched, messages are shown in a plain
 * form, and the page continues to work.
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
  // When a dialog opens, it hides everything outside it from screen readers, except live regions that already exist. Therefore this live region is
  // rendered before the first message.
  return (
    <div aria-live="off">
      {fetched ? <fetched.Toaster place={office.test(pathname) ? 'top-right' : 'bottom-right'} /> : null}
    </div>
  )
}
