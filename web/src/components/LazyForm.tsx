import { Suspense, type ReactNode } from 'react'

/** Holds the place of a form while its code is fetched, so that nothing beneath it jumps. */
export function LazyForm({ height, children }: { height: string; children: ReactNode }) {
  return (
    <div style={{ minHeight: height }}>
      <Suspense fallback={<p className="band pt-4.5 text-muted-foreground">Loading the form…</p>}>{children}</Suspense>
    </div>
  )
}
