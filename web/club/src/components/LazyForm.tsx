import { Suspense, type ReactNode } from 'react'
import { useHydrated } from '@/lib/use-hydrated'
import { NoScriptNote } from './NoScriptNote'

/**
 * Reserves the space of a form while its code is fetched, so that the content below does not move. The form is rendered only in the browser, because
 * it starts with the stored draft.
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
