import { WifiOff } from 'lucide-react'
import { useSyncExternalStore } from 'react'

function subscribe(changed: () => void) {
  window.addEventListener('online', changed)
  window.addEventListener('offline', changed)
  return () => {
    window.removeEventListener('online', changed)
    window.removeEventListener('offline', changed)
  }
}

/** A bar which announces that the device has no network. It explains why a form cannot be sent. */
export function OfflineNotice() {
  const online = useSyncExternalStore(
    subscribe,
    () => navigator.onLine,
    () => true,
  )
  return (
    <div role="status" className="no-print">
      {online ? null : (
        <p className="flex items-center justify-center gap-3 bg-lamp-300 px-4 py-3 text-center font-strong text-ink">
          <WifiOff aria-hidden />
          You are offline. What you type is kept on this device until you are back.
        </p>
      )}
    </div>
  )
}
