import { Check, Copy as CopyIcon, Eye, EyeOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { cn } from '@cloch/ui/lib/cn'
import { notifyError } from '@/lib/notify'

/** Milliseconds that the tick is shown. */
const shownMs = 1500

/** Copies a text; the tick and the label say that it did. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = window.setTimeout(() => setCopied(false), shownMs)
    return () => window.clearTimeout(timer)
  }, [isCopied])
  const copy = () => {
    // Without https or localhost a browser has no clipboard.
    if (!('clipboard' in navigator)) {
      notifyError('This browser copies only over https')
      return
    }
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      (error: unknown) => notifyError('Nothing was copied', error),
    )
  }
  return (
    <Button variant="ghost" size="compact-icon" aria-label={isCopied ? 'Copied' : label} title={label} onClick={copy}>
      {isCopied ? <Check aria-hidden /> : <CopyIcon aria-hidden />}
    </Button>
  )
}

interface CopyableProps {
  name: string
  value: string
  isSecret?: boolean
  /** Whether its beginning is enough to know it by: nobody reads it. */
  isCut?: boolean
}

/** A value to copy; a secret is drawn only on demand. */
export function Copyable({ name, value, isSecret = false, isCut = false }: CopyableProps) {
  const [isShown, setShown] = useState(!isSecret)
  return (
    <div className="grid items-center gap-x-2 border-b py-1.5 sm:grid-cols-[7rem_minmax(0,1fr)_auto]">
      <span className="text-muted-foreground">{name}</span>
      <code className={cn('min-w-0', isCut ? 'truncate' : 'break-all')}>{isShown ? value : '•'.repeat(24)}</code>
      <span className="flex">
        {isSecret && (
          <Button
            variant="ghost"
            size="compact-icon"
            aria-label={`${isShown ? 'Hide' : 'Show'} ${name}`}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
          </Button>
        )}
        <CopyButton text={value} label={`Copy ${name}`} />
      </span>
    </div>
  )
}

/** Text of a program, to read and to copy; it scrolls for itself and the keyboard reaches it. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div className="relative rounded border bg-card">
      <div className="absolute top-1 right-1 bg-card">
        <CopyButton text={text} label={`Copy ${label}`} />
      </div>
      <pre tabIndex={0} role="region" aria-label={label} className="max-h-[30rem] overflow-auto p-3 pr-12 whitespace-pre-wrap">
        {text}
      </pre>
    </div>
  )
}

export const Json = ({ value, label }: { value: unknown; label: string }) => (
  <Code text={JSON.stringify(value, null, 2)} label={label} />
)
