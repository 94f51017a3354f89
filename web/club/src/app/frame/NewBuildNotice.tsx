import { RotateCw } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { onNewBuild, reloadKeepingDrafts, isNewBuildKnown } from '@/lib/new-build'

/** A bar which announces that a new build of the site was deployed, with a button that loads the new build. */
export function NewBuildNotice() {
  const renewed = useSyncExternalStore(onNewBuild, isNewBuildKnown, () => false)
  return (
    <div role="status" className="sticky top-0 z-30 no-print">
      {renewed ? (
        <p className="flex flex-wrap items-center justify-center gap-x-4 gap-y-2 bg-lamp-300 px-4 py-2 text-center font-strong text-ink">
          This site has been renewed. What you typed is kept.
          <button
            type="button"
            onClick={reloadKeepingDrafts}
            className="flex min-h-11 items-center gap-2 rounded border-2 border-ink px-4 hover:bg-ink hover:text-white"
          >
            <RotateCw aria-hidden />
            Load the new site
          </button>
        </p>
      ) : null}
    </div>
  )
}
