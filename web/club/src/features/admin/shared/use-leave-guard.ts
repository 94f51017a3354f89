import { useEffect } from 'react'
import { keepsDrafts } from '@/lib/new-build'

/** Makes the browser ask for confirmation before the page is closed or reloaded with unsaved input. */
export function useLeaveGuard(unsaved: boolean) {
  useEffect(() => {
    if (!unsaved) return
    const ask = (event: BeforeUnloadEvent) => {
      if (!keepsDrafts()) event.preventDefault()
    }
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [unsaved])
}
