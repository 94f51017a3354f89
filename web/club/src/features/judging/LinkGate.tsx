import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Gate, GateHead, gatePanel } from './GatePanel'
import type { Pass } from './pass'

interface LinkGateProps {
  /** The token of the judge's link. */
  token: string
  onPass: (pass: Pass) => void
  /** Called when the judge wants to enter the password instead. */
  onLeave: () => void
}

/** Opens a judge's link. Shows a message if the link has ended or the server does not respond. */
export function LinkGate({ token, onPass, onLeave }: LinkGateProps) {
  const { mutate, data, isError } = useMutation({
    mutationFn: async (linkToken: string) => (await import('./queries/open-link')).openLink(linkToken),
    onSuccess: (pass) => (pass ? onPass(pass) : undefined),
  })
  useEffect(() => mutate(token), [mutate, token])
  const hasEnded = data === null
  return (
    <Gate>
      <div className={gatePanel}>
        <GateHead />
        <p role="status">
          {hasEnded
            ? 'This link has ended. Please ask the club for a new one.'
            : isError
              ? 'Your link could not be opened. Check the connection and try again.'
              : 'Opening your link...'}
        </p>
        {isError ? <Button onClick={() => mutate(token)}>Try again</Button> : null}
        {hasEnded || isError ? (
          <Button variant="outline" onClick={onLeave}>
            Enter the judging password
          </Button>
        ) : null}
      </div>
    </Gate>
  )
}
