import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useEffect, useState } from 'react'
import { lazyPart } from '@/components/lazy-part'
import { useHydrated } from '@/lib/use-hydrated'
import { usePage } from '@/lib/use-page'
import { notifyError } from '@cloch/ui/lib/notify'
import { JudgingGate } from './JudgingGate'
import { keepPass, readPass, type Pass } from './pass'

const Portal = lazyPart(() => import('./JudgingPortal'))
/** Fetches the portal's code. If it does not come, the portal's place says so. */
const fetchPortal = () => Portal.fetch().catch(() => undefined)

/** The judging portal: behind one password, open for the browser session. */
export function Component() {
  usePage({ title: 'Judging portal', description: 'For the judges of the youth awards.' })
  // The gate is drawn at build time: whoever has a pass gets in once that has been taken over, and the portal is there.
  const hydrated = useHydrated()
  const [pass, setPass] = useState(() => (hydrated ? readPass() : undefined))
  const [wasDrawn] = useState(!hydrated)
  useEffect(() => {
    const kept = wasDrawn ? readPass() : undefined
    if (kept) void fetchPortal().then(() => setPass(kept))
  }, [wasDrawn])
  const queries = useQueryClient()

  const leave = () => {
    keepPass(undefined)
    queries.removeQueries({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith('judging') })
    setPass(undefined)
  }
  useExpiry(pass, () => {
    leave()
    notifyError({ title: 'Access ended', description: 'Please enter the judging password again. Your rankings are saved.' })
  })

  if (!pass) {
    return (
      <JudgingGate
        onReach={() => void fetchPortal()}
        onPass={(next) => {
          keepPass(next)
          void fetchPortal().then(() => setPass(next))
        }}
      />
    )
  }
  return (
    <Suspense>
      <Portal token={pass.token} onLogout={leave} />
    </Suspense>
  )
}

/** Calls `ended` when the pass runs out. */
function useExpiry(pass: Pass | undefined, ended: () => void) {
  useEffect(() => {
    if (!pass) return
    const timer = window.setInterval(() => {
      if (pass.expiresAt * 1000 <= Date.now()) ended()
    }, 5000)
    return () => window.clearInterval(timer)
  })
}
