import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { usePage } from '@/lib/use-page'
import { notifyError } from '@cloch/ui/lib/notify'
import { createJudgeClient, JudgeClient } from './judge-client'
import { JudgingGate } from './JudgingGate'
import { JudgingPortal } from './JudgingPortal'
import { keepPass, readPass, type Pass } from './pass'

/** The judging portal: behind one password, open for the browser session. */
export function Component() {
  usePage({ title: 'Judging portal', description: 'For the judges of the youth awards.' })
  const [pass, setPass] = useState(() => readPass())
  const client = useMemo(() => (pass ? createJudgeClient(pass.token) : null), [pass])
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

  if (!client) {
    return (
      <JudgingGate
        onPass={(next) => {
          keepPass(next)
          setPass(next)
        }}
      />
    )
  }
  return (
    <JudgeClient value={client}>
      <JudgingPortal onLogout={leave} />
    </JudgeClient>
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
