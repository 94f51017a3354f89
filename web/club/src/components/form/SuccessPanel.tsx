import { CircleCheck } from 'lucide-react'
import { useEffect, useRef, type ReactNode } from 'react'

interface SuccessPanelProps {
  title: string
  children: ReactNode
}

/** Replaces a form after it was sent, and gets the focus. */
export function SuccessPanel({ title, children }: SuccessPanelProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
    window.scrollTo({ top: 0 })
  }, [])
  return (
    <section className="grid max-w-[44rem] justify-items-start gap-5 rounded bg-[var(--award-wash,var(--success-wash))] p-[clamp(1.5rem,4vw,3rem)]">
      <CircleCheck aria-hidden className="size-10 text-[var(--award-ink,var(--success))]" />
      <h2 ref={heading} tabIndex={-1} className="text-h2">
        {title}
      </h2>
      {children}
    </section>
  )
}
