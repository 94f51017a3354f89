import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useEffect, useState } from 'react'
import { lazyPart } from '@/components/lazy-part'
import { useHydrated } from '@/lib/use-hydrated'
import { usePage } from '@/lib/use-page'
import { notifyError } from '@cloch/ui/lib/notify'
import { JudgingGate } from './JudgingGate'
import { keepPass, readPass, type Pass } from './pass'

const Portal = lazyPart(() => import('./JudgingPortal'))
/** Fetches the code of the portal in advance. An error is ignored here, because the portal's place on the page shows it. */
const fetchPortal = () => Portal.fetch().catch(() => undefined)

/** The judging portal. Judges enter one common password, which is then valid for the browser session. */
export function Component() {
  usePage({ title: 'Judging portal', description: 'For the judges of the youth awards.' })
  // The page is rendered at build time with the password form. If the judge already has a pass, the portal replaces the form after the hydration, as
  // soon as the portal's code has been fetched.
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

/** Calls `ended` when the pass has expired. */
function useExpiry(pass: Pass | undefined, ended: () => void) {
  useEffect(() => {
    if (!pass) return
    const timer = window.setInterval(() => {
      if (pass.expiresAt * 1000 <= Date.now()) ended()
    }, 5000)
    return () => window.clearInterval(timer)
  })
}
