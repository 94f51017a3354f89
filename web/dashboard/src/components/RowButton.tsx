import type { ReactNode } from 'react'

/** The name of a row. It is a button that opens the row. */
export function RowButton({ onClick, children, label }: { onClick: () => void; children: ReactNode; label?: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      className="text-left align-top max-sm:align-baseline font-strong text-primary underline decoration-[1.5px] underline-offset-[0.2em] hover:decoration-[3px] pointer-coarse:min-h-11"
      onClick={onClick}
    >
      {children}
    </button>
  )
}
