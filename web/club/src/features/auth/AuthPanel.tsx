import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Mark } from '@cloch/ui/components/mark'
import { getSettings } from '@/lib/config'

interface AuthPanelProps {
  title: string
  children: ReactNode
}

/** Layout of the sign-in page: a panel in front of a background with sky and sea. */
export function AuthPanel({ title, children }: AuthPanelProps) {
  return (
    <main className="grid min-h-dvh place-items-center bg-[linear-gradient(var(--sky)_0_62%,var(--sea)_62%)] sm:p-12">
      <div className="band grid w-full content-start gap-5 border-t-8 bg-card p-[clamp(1.25rem,4vw,2.25rem)] max-sm:min-h-dvh sm:w-[26rem] sm:rounded">
        <Link to="/" aria-label={getSettings().clubName} className="w-fit">
          <Mark className="size-12" />
        </Link>
        <h1 className="text-[1.75rem] leading-tight">{title}</h1>
        {children}
      </div>
    </main>
  )
}
