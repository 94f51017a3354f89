import { Check, Copy as CopyIcon, Eye, EyeOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { cn } from '@cloch/ui/lib/cn'
import { notifyError } from '@/lib/notify'

/** Milliseconds for which the tick is shown after copying. */
const shownMs = 1500

/** A button that copies a text. After copying, it shows a tick and a different label. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = window.setTimeout(() => setCopied(false), shownMs)
    return () => window.clearTimeout(timer)
  }, [isCopied])
  const copy = () => {
    // Browsers offer the clipboard only over https or on localhost.
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
  /** Whether only the beginning of the value is shown. This is enough to identify the value. */
  isCut?: boolean
}

/** A value with a button that copies it. If the value is a secret, it is hidden until the user asks for it. */
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

/** Source code to read and copy. The box scrolls by itself and can be focused with the keyboard. */
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
