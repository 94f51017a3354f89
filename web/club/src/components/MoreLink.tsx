import { ArrowRight } from 'lucide-react'
import { Link, type LinkProps } from 'react-router'
import { cn } from '@cloch/ui/lib/cn'

export const moreClass =
  'group inline-flex min-h-11 items-center gap-2 border-b-3 border-current font-strong text-foreground no-underline'

/** A link to the next page, on a line of its own. */
export function MoreLink({ children, className, ...props }: LinkProps) {
  return (
    <Link className={cn(moreClass, className)} {...props}>
      {children}
      <ArrowRight aria-hidden className="transition-transform duration-150 ease-out group-hover:translate-x-1" />
    </Link>
  )
}
