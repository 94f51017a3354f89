import { Suspense, type ReactNode } from 'react'
import { useHydrated } from '@/lib/use-hydrated'
import { NoScriptNote } from './NoScriptNote'

/**
 * Holds the place of a form while its code is fetched, so that nothing beneath it jumps. The form is drawn in the browser only: it
 * begins with what the device remembers.
 */
export function LazyForm({ height, children }: { height: string; children: ReactNode }) {
  const hydrated = useHydrated()
  const place = <FormPlace />
  return <div style={{ minHeight: height }}>{hydrated ? <Suspense fallback={place}>{children}</Suspense> : place}</div>
}

function FormPlace() {
  return (
    <div className="band pt-4.5 text-muted-foreground">
      <p className="needs-script">Loading the form…</p>
      <NoScriptNote />
    </div>
  )
}
