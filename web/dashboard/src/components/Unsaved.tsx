import { useEffect, type ReactNode } from 'react'
import { useBlocker, type Location } from 'react-router'
import { Confirm } from './Confirm'

interface UnsavedProps {
  isUnsaved: boolean
  /** Whether a move within the app loses what is not saved. */
  leaves: (from: Location, to: Location) => boolean
  /** What would be lost. */
  children: ReactNode
}

/** Asks before something typed is lost: within the app by a window of its own, at a reload or another site by the browser's. */
export function Unsaved({ isUnsaved, leaves, children }: UnsavedProps) {
  const blocker = useBlocker(({ currentLocation, nextLocation }) => isUnsaved && leaves(currentLocation, nextLocation))
  useEffect(() => {
    if (!isUnsaved) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isUnsaved])
  if (blocker.state !== 'blocked') return null
  return (
    <Confirm title="Leave without saving?" confirm="Leave" onConfirm={() => blocker.proceed()} onClose={() => blocker.reset()}>
      {children}
    </Confirm>
  )
}
