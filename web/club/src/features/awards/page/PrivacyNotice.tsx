import { Link } from 'react-router'
import { ExternalLink } from '@/components/ExternalLink'
import { privacyNotice, privacyShort } from '@/content/privacy'
import { getSettings } from '@/lib/config'

/** The complete privacy notice, below the form. */
export function PrivacyNotice() {
  return (
    <section id="privacy" aria-labelledby="privacy-title" className="mt-12 max-w-[38em] scroll-mt-6 border-t pt-6 text-base">
      <h2 id="privacy-title" className="text-h3">
        Privacy notice
      </h2>
      <ul className="mt-3 grid list-disc gap-1.5 pl-5">
        {privacyNotice.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <p className="mt-3 flex flex-wrap gap-x-6 gap-y-2">
        <Link to="/privacy">How the club keeps data, and how to have it deleted</Link>
        <ExternalLink href={getSettings().privacyUrl}>Privacy policy of the international organisation</ExternalLink>
      </p>
    </section>
  )
}

/** Two sentences beside the form, with a link to the complete notice. */
export function PrivacyShort() {
  return (
    <section aria-labelledby="privacy-short" className="text-small">
      <h2 id="privacy-short" className="mb-1.5 text-xl">
        Privacy
      </h2>
      <p>
        {privacyShort} <a href="#privacy">Read the whole notice</a>
      </p>
    </section>
  )
}
