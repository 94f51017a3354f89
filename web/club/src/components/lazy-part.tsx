import { Component, lazy, useEffect, useRef, useState, type ComponentType, type ReactNode } from 'react'
import { checkForNewBuild } from '@/lib/new-build'
import { Button } from '@cloch/ui/components/button'
import { notifyError } from '@cloch/ui/lib/notify'

/** Shown in place of a part whose code could not be fetched. */
export type PartFallback<Props> = ComponentType<{ props: Props; onRetry: () => void }>

/**
 * A part of a page whose code is a separate file. If the code has already been fetched with `fetch`, the part is rendered at once, also at build
 * time.
 */
export type LazyPart<Props extends object> = ComponentType<Props> & {
  fetch: () => Promise<ComponentType<Props>>
  isFetched: () => boolean
}

/**
 * Creates a part of a page whose code is fetched when the part is first shown. If the fetch fails (no network, or a new build of the site was
 * deployed), `Fallback` is shown in place of the part, with a button to try again. The rest of the page stays, so no form input is lost.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  Fallback: PartFallback<Props> = RetryInPlace,
): LazyPart<Props> {
  let fetched: ComponentType<Props> | undefined
  let latest: ComponentType<Props> = lazy(load)
  async function fetch() {
    latest = fetched = (await load()).default
    return fetched
  }
  function LazyPart(props: Props) {
    const [Part, setPart] = useState(() => latest)
    const [attempt, setAttempt] = useState(1)
    const retry = () => {
      latest = lazy(load)
      setPart(() => latest)
      setAttempt((count) => count + 1)
    }
    return (
      <PartBoundary key={attempt} fallback={<Fallback props={props} onRetry={retry} />}>
        <Part {...props} />
      </PartBoundary>
    )
  }
  return Object.assign(LazyPart, { fetch, isFetched: () => fetched !== undefined })
}

interface PartBoundaryProps {
  fallback: ReactNode
  children: ReactNode
}

class PartBoundary extends Component<PartBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override componentDidCatch(error: unknown) {
    console.error('A part of the page could not be shown', error)
    void checkForNewBuild()
  }

  override render() {
    return this.state.hasFailed ? this.props.fallback : this.props.children
  }
}

const reason = 'The network may be away, or the site has just been renewed. What you typed is kept.'

function RetryInPlace({ onRetry }: { onRetry: () => void }) {
  return (
    <div role="alert" className="grid justify-items-start gap-4 rounded border-3 border-destructive bg-destructive-wash p-5">
      <div>
        <p className="font-strong">This part of the page could not be fetched.</p>
        <p>{reason}</p>
      </div>
      <Button size="sm" variant="outline" onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}

/** Fallback for parts that open above the page, such as dialogs: a message with a button to try again. */
export function RetryByMessage({ onRetry }: { onRetry: () => void }) {
  const retry = useRef(onRetry)
  useEffect(
    () =>
      notifyError({
        title: 'This could not be opened',
        description: reason,
        action: { label: 'Try again', onClick: () => retry.current() },
      }),
    [],
  )
  return null
}
