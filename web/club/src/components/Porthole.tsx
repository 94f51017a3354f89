import type { ReactNode } from 'react'

/** A round picture with a thick ring that shows something the club does. It is decorative. */
export function Porthole({ children }: { children: ReactNode }) {
  return (
    <div
      aria-hidden
      className="size-19 overflow-hidden rounded-full border-5 border-foreground bg-sky sm:size-23 sm:border-6 desk:size-38 desk:border-8 [&>svg]:block [&>svg]:size-full"
    >
      {children}
    </div>
  )
}
