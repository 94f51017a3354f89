import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Mark } from '@cloch/ui/components/mark'
import { getSettings } from '@/lib/config'

/** Classes of the panel on which judges enter the password or open their link. */
export const gatePanel =
  'grid w-full content-start gap-5 border-t-8 border-foreground bg-card p-[clamp(1.25rem,4vw,2.25rem)] max-sm:min-h-dvh sm:w-[26rem] sm:rounded'

/** The page in front of the judging portal. Its child is the panel for signing in. */
export function Gate({ children }: { children: ReactNode }) {
  return (
    <main className="grid min-h-dvh place-items-center bg-[linear-gradient(var(--sky)_0_62%,var(--sea)_62%)] sm:p-12">
      {children}
    </main>
  )
}

/** Heading of the panel. */
export function GateHead() {
  return (
    <>
      <Link to="/" aria-label={getSettings().clubName} className="w-fit">
        <Mark className="size-12" />
      </Link>
      <h1 className="text-[1.75rem] leading-tight">Judging portal</h1>
    </>
  )
}
