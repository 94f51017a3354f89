import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useEffect, useState } from 'react'
import { lazyPart } from '@/components/lazy-part'
import { useHydrated } from '@/lib/use-hydrated'
import { usePage } from '@/lib/use-page'
import { notifyError } from '@cloch/ui/lib/notify'
import { JudgingGate } from './JudgingGate'
import { takeLinkToken } from '@/lib/judge-link'
import { LinkGate } from './LinkGate'
import { keepPass, readPass, type Pass } from './pass'

const Portal = lazyPart(() => import('./JudgingPortal'))
const OwnPortal = lazyPart(() => import('./own/OwnPortal'))
/** Loads the code of a portal in advance. An error is ignored here, because it is shown when the portal is rendered. */
const fetchPortal = (isOwn?: boolean) => (isOwn ? OwnPortal : Portal).fetch().catch(() => undefined)

/** The judging portal. Judges enter one common password or open a link of their own, which is then valid for the browser session. */
export function Component() {
  usePage({ title: 'Judging portal', description: 'For the judges of the youth awards.' })
  // The page is rendered at build time with the password form. If the judge already has a pass, the portal replaces the form after the hydration, as
  // soon as the portal's code has been fetched.
  const hydrated = useHydrated()
  const [pass, setPass] = useState(() => (hydrated ? readPass() : undefined))
  const [wasDrawn] = useState(!hydrated)
  const [linkToken, setLinkToken] = useState<string>()
  useEffect(() => {
    // A link may be opened in this page. Then only the fragment of the URL changes.
    const arrive = () => {
      const token = takeLinkToken()
      if (token !== undefined) setLinkToken(token)
      return token !== undefined
    }
    const kept = !arrive() && wasDrawn ? readPass() : undefined
    if (kept) void fetchPortal(kept.isOwn).then(() => setPass(kept))
    window.addEventListener('hashchange', arrive)
    return () => window.removeEventListener('hashchange', arrive)
  }, [wasDrawn])
  const queries = useQueryClient()

  const forget = () => queries.removeQueries({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith('judging') })
  const leave = () => {
    keepPass(undefined)
    forget()
    setPass(undefined)
  }
  const enter = (next: Pass) => {
    keepPass(next)
    void fetchPortal(next.isOwn).then(() => setPass(next))
  }
  useExpiry(pass, () => {
    leave()
    notifyError({
      title: 'Access ended',
      description: pass?.isOwn
        ? 'Please open your link again. What you gave is saved.'
        : 'Please enter the judging password again. Your rankings are saved.',
    })
  })

  if (linkToken !== undefined) {
    return (
      <LinkGate
        token={linkToken}
        onPass={(next) => {
          keepPass(next)
          void fetchPortal(next.isOwn).then(() => {
            // Data that was loaded with another pass does not belong to this judge.
            forget()
            setPass(next)
            setLinkToken(undefined)
          })
        }}
        onLeave={() => setLinkToken(undefined)}
      />
    )
  }
  if (!pass) return <JudgingGate onReach={() => void fetchPortal()} onPass={enter} />
  return (
    <Suspense>
      {pass.isOwn ? (
        <OwnPortal
          token={pass.token}
          onLogout={leave}
          onEnd={() => {
            leave()
            notifyError({ title: 'Access ended', description: 'Your link has ended. Please ask the club for a new one.' })
          }}
        />
      ) : (
        <Portal token={pass.token} onLogout={leave} />
      )}
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
