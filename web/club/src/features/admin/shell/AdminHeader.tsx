import { LogOut, Mail } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Mark } from '@cloch/ui/components/mark'
import { Button } from '@cloch/ui/components/button'

interface AdminHeaderProps {
  email: string
  /** Number of entries; undefined until all entries have been read. */
  total: number | undefined
  sending: boolean
  /** The field that chooses the season, if there are several seasons. */
  season: ReactNode
  onEmailAll: () => void
  onLogout: () => void
}

export function AdminHeader({ email, total, sending, season, onEmailAll, onLogout }: AdminHeaderProps) {
  return (
    <header data-above-notices className="border-b bg-card no-print">
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3 px-[clamp(1.125rem,2.5vw,2rem)] py-3.5">
        <Link to="/" className="brand m-0 py-0 max-[30rem]:basis-full">
          <Mark />
          <span>
            <span className="brand-name">Youth Awards</span>
            <span className="brand-tagline !block">
              {total === undefined ? 'Counting...' : `${total} submissions in total`}
            </span>
          </span>
        </Link>
        <span className="ml-auto text-small [overflow-wrap:anywhere] text-muted-foreground max-sm:order-4 max-sm:ml-0 max-sm:w-full">
          {email}
        </span>
        {season}
        <div className="flex flex-wrap gap-2.5">
          <Button size="sm" disabled={sending || !total} aria-busy={sending} onClick={onEmailAll}>
            <Mail aria-hidden />
            {sending ? 'Sending...' : `Email All (${total ?? 0})`}
          </Button>
          <Button size="sm" variant="outline" onClick={onLogout}>
            <LogOut aria-hidden />
            Logout
          </Button>
        </div>
      </div>
    </header>
  )
}
