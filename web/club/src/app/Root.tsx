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

/** What stands around every page: messages, notices that the network is away or the site renewed, and the scroll position. */
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

/** The place for messages, once one is near. If its code does not come, messages are shown plainly, and the page stays. */
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
  // Open windows hide what is beside them from screen readers, save what is live when they open: this is, before the first message.
  return (
    <div aria-live="off">
      {fetched ? <fetched.Toaster place={office.test(pathname) ? 'top-right' : 'bottom-right'} /> : null}
    </div>
  )
}
