import { useEffect } from 'react'
import { useBlocker } from 'react-router'
import { useAllUnsaved } from '@/lib/unsaved'
import { Confirm } from './Confirm'

/**
 * Asks for confirmation before unsaved input is lost. For navigations inside the app it shows its own dialog; for a reload, or when the user leaves
 * the site, the browser shows its dialog.
 */
export function UnsavedGuard() {
  const unsaved = useAllUnsaved()
  const isUnsaved = unsaved.length > 0
  const blocker = useBlocker((move) => unsaved.some(({ leaves }) => leaves(move)))
  useEffect(() => {
    if (!isUnsaved) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isUnsaved])
  if (blocker.state !== 'blocked') return null
  return (
    <Confirm title="Leave without saving?" confirm="Leave" onConfirm={() => blocker.proceed()} onClose={() => blocker.reset()}>
      {unsaved.at(-1)?.text}
    </Confirm>
  )
}
