import { useSyncExternalStore } from 'react'
import { Link } from 'react-router'
import { ExternalLink } from '@/components/ExternalLink'
import { activities, footerLinks } from '@/content/navigation'
import { getSettings } from '@/lib/config'
import { when } from '@/lib/content-template'

export function Footer() {
  const { clubName, clubEmail, organisationUrl, siteBuilderUrl, charityNumber } = getSettings()
  return (
    <footer className="site-footer no-print">
      <svg className="tide" viewBox="0 0 1440 56" preserveAspectRatio="none" aria-hidden>
        <path
          d="M0 56V20Q60 6 120 20T240 20 360 20 480 20 600 20 720 20 840 20 960 20 1080 20 1200 20 1320 20 1440 20V56Z"
          fill="currentColor"
        />
      </svg>
      <div className="site-water">
        <div className="wrap grid gap-9 pt-10 pb-12 md:grid-cols-2 desk:grid-cols-[2.2fr_1fr_1.3fr_1.3fr] desk:gap-12">
          <div>
            <h2>{clubName}</h2>
            <p className="max-w-[26em]">
              Serving since 1925. Neighbours who meet on Thursdays, raise money for good causes and run four awards for young
              people. Part of an international organisation of 1.2 million members.
            </p>
          </div>
          <nav aria-label="Quick links">
            <h2>Quick links</h2>
            <ul>
              {footerLinks.map((item) => (
                <li key={item.href}>
                  <Link to={item.href} className="inline-block py-1.5">
                    {item.name}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <div>
            <h2>Activities</h2>
            <ul>
              {activities.map((activity) => (
                <li key={activity} className="py-1">
                  {activity}
                </li>
              ))}
            </ul>
          </div>
          <div>
            <h2>Contact</h2>
            <p>
              <a href={`mailto:${clubEmail}`} className="inline-block py-1.5 break-words">
                {clubEmail}
              </a>
            </p>
            <p>Gourock, Scotland</p>
          </div>
        </div>
        <div className="wrap flex flex-wrap justify-between gap-x-8 gap-y-2 border-t border-white/20 pt-5 pb-7 text-small">
          <span>
            © <Year /> {clubName}
          </span>
          {when(charityNumber, (number) => (
            <span>Registered Scottish charity {number}</span>
          ))}
          <Link to="/privacy">Privacy</Link>
          <ExternalLink href={organisationUrl}>The international organisation</ExternalLink>
          <ExternalLink href={siteBuilderUrl}>Site builder</ExternalLink>
        </div>
      </div>
    </footer>
  )
}

/** The current year. A page that was rendered at build time may contain an earlier year. */
function Year() {
  const year = useSyncExternalStore(
    () => () => undefined,
    () => new Date().getFullYear(),
    () => __BUILD_YEAR__,
  )
  return <>{year}</>
}
