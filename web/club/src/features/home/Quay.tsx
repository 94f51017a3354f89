import { ArrowRight } from 'lucide-react'
import { Link } from 'react-router'
import { cn } from '@cloch/ui/lib/cn'

const ways = [
  { name: 'About Us', href: '/about', line: 'Who we are and what we value' },
  { name: 'Events', href: '/events', line: 'Talks, dinners, the awards night' },
  { name: 'Get Involved', href: '/get-involved', line: 'Join, help, or make a suggestion' },
  { name: 'Contact Us', href: '/contact', line: 'Thursdays at 7, or any time by e-mail' },
]

/** Classes for the columns: two, or four on wide screens; fewer if large text needs more room. */
const columns =
  'grid-cols-[repeat(auto-fit,minmax(min(100%,max(8rem,40%)),1fr))] desk:grid-cols-[repeat(auto-fit,minmax(max(13rem,22%),1fr))]'

/** Four links below the picture of the harbour. */
export function Quay() {
  return (
    <nav aria-label="Ways in" className="@container bg-footer-2 text-white">
      <ul className={`wrap grid ${columns}`}>
        {ways.map(({ name, href, line }, index) => (
          <li
            key={href}
            className={cn(
              'border-white/18 desk:border-t-0 desk:border-l desk:last:border-r',
              index % 2 === 1 && 'border-l @max-[18rem]:border-l-0',
              index > 1 ? 'border-t' : index > 0 && '@max-[18rem]:border-t',
            )}
          >
            <Link
              to={href}
              className={cn(
                'grid h-full content-start gap-1 border-t-6 border-transparent px-4 py-5 text-white no-underline transition-colors duration-150 hover:border-lamp-300 hover:bg-white/8 focus-visible:outline-white focus-visible:-outline-offset-6 desk:p-6 desk:pb-7',
                index % 2 === 0 ? 'max-sm:pl-0' : '@max-[18rem]:pl-0',
              )}
            >
              <span className="flex items-center justify-between gap-2 font-display text-lg leading-tight font-bold whitespace-nowrap desk:text-[1.4375rem]">
                {name} <ArrowRight aria-hidden className="max-sm:hidden" />
              </span>
              <span className="text-small text-[#c4d6df]">{line}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
