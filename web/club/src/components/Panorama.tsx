import { ArrowRight } from 'lucide-react'
import { Link } from 'react-router'
import { awards } from '@/content/awards'
import { AwardScene } from './art/AwardScene'

/** The four award scenes, side by side, with a common horizon. */
export function Panorama() {
  return (
    <ul className="grid grid-cols-2 bg-footer-2 desk:grid-cols-4">
      {awards.map(({ award, name, href, line }) => (
        <li key={href}>
          <Link
            to={href}
            className="group flex h-full flex-col overflow-hidden text-white no-underline focus-visible:outline-white focus-visible:-outline-offset-6"
          >
            <span className="block aspect-[4/5] overflow-hidden desk:aspect-[4/4.6]">
              <AwardScene award={award} />
            </span>
            <span
              className="flex flex-1 items-start justify-between gap-2 border-t-6 px-3 pt-3 pb-4 sm:px-4 desk:px-6 desk:pt-5 desk:pb-6"
              style={{ borderColor: `var(--${award})` }}
            >
              <span>
                <b className="block font-display text-[1.0938rem] leading-tight decoration-3 underline-offset-4 group-hover:underline sm:text-[1.1875rem] desk:text-2xl">
                  {name}
                </b>
                <span className="mt-1 block text-small text-[#c4d6df]">{line}</span>
              </span>
              <ArrowRight aria-hidden className="mt-0.5 max-sm:hidden" />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
