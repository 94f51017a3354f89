import { ExternalLink as Icon } from 'lucide-react'
import type { ComponentProps } from 'react'

/** A link to another site: opens in a new tab, says so, and sends no referrer. */
export function ExternalLink({ children, ...props }: Omit<ComponentProps<'a'>, 'target' | 'rel'>) {
  return (
    <a {...props} target="_blank" rel="noopener noreferrer">
      {children}
      <Icon aria-hidden className="ml-[0.35em] inline-block align-[-0.2em]" />
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  )
}
