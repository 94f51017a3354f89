import { Link } from 'react-router'
import { Mark } from '@cloch/ui/components/mark'
import { tagline } from '@/content/navigation'
import { getSettings } from '@/lib/config'

export function Brand() {
  return (
    <Link to="/" className="brand">
      <Mark />
      <span>
        <span className="brand-name">{getSettings().clubName}</span>
        <span className="brand-tagline">{tagline}</span>
      </span>
    </Link>
  )
}
