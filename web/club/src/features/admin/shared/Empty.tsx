import type { ReactNode } from 'react'

/** Shown for an empty list: a line, a sentence, and one action. */
export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className="grid justify-items-start gap-4 py-6">
      <svg viewBox="0 0 240 48" aria-hidden className="w-60">
        <path d="M0 26Q46 10 92 19T184 15T240 26Z" className="fill-[var(--hill-1)]" />
        <path d="M0 26H240" className="stroke-foreground [stroke-width:3]" />
        <path
          d="M24 35H88M150 34H206M112 43H176"
          className="fill-none stroke-[var(--glint)] [stroke-linecap:round] [stroke-width:3]"
        />
      </svg>
      <p>{children}</p>
      {action}
    </div>
  )
}
