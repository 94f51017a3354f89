import { LogOut } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Mark } from '@cloch/ui/components/mark'
import { Button } from '@cloch/ui/components/button'

interface PortalFrameProps {
  /** Text below the portal's name: the awards, or the judge's name. */
  tagline: string
  onLogout: () => void
  children: ReactNode
}

/** Header and body of the judging portal. */
export function PortalFrame({ tagline, onLogout, children }: PortalFrameProps) {
  return (
    <div className="text-base leading-normal">
      <header data-above-notices className="border-b bg-card">
        <div className="flex flex-wrap items-center justify-between gap-4 px-[clamp(1.125rem,2.5vw,2rem)] py-3.5">
          <Link to="/" className="brand m-0 py-0">
            <Mark />
            <span>
              <span className="brand-name">Judging portal</span>
              <span className="brand-tagline">{tagline}</span>
            </span>
          </Link>
          <Button size="sm" variant="outline" onClick={onLogout}>
            <LogOut aria-hidden />
            Logout
          </Button>
        </div>
      </header>
      <main className="wide pt-8 pb-20">
        <h1 className="sr-only">Judging portal</h1>
        {children}
      </main>
    </div>
  )
}
