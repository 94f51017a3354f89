import { ExternalLink } from '@/components/ExternalLink'
import { RuledList } from '@/components/RuledList'
import { SectionHead } from '@/components/SectionHead'
import { SkyStrip } from '@/components/SkyStrip'
import { privacyNotice } from '@/content/privacy'
import { getSettings } from '@/lib/config'
import { when } from '@/lib/content-template'
import { usePage } from '@/lib/use-page'
import { Retention } from './Retention'
import { whatWeKeep, whoSeesIt } from './privacy-texts'

/** The privacy page. It states which personal data the club stores, for how long, and how people can have it corrected or deleted. */
export function Component() {
  const { clubName, clubEmail, privacyUrl, charityNumber } = getSettings()
  usePage({
    title: 'Privacy',
    description:
      'What the club keeps about those who enter the youth awards, who sees it, for how long, and how to have it deleted.',
    path: '/privacy',
  })
  return (
    <>
      <SkyStrip
        title="Privacy"
        lede="Most of what we are told is about young people. We keep as little as we can, for as short as we can."
        motif="lighthouse"
      />
      <div className="section wrap grid gap-16">
        <section aria-labelledby="who" className="grid max-w-[36em] gap-4">
          <h2 id="who" className="text-h2">
            Who we are
          </h2>
          <p>
            {clubName}, Gourock, Scotland, runs this website and decides what happens with the data
            {when(charityNumber, (number) => (
              <> (registered Scottish charity {number})</>
            ))}
            . Write to us at <a href={`mailto:${clubEmail}`}>{clubEmail}</a>.
          </p>
        </section>
        <section aria-labelledby="kept">
          <SectionHead id="kept" title="What we keep, and what for" />
          <RuledList items={whatWeKeep} />
        </section>
        <section aria-labelledby="seen">
          <SectionHead id="seen" title="Who sees it" />
          <RuledList items={whoSeesIt} />
        </section>
        <Retention />
        <section aria-labelledby="rights" className="grid max-w-[36em] gap-4">
          <h2 id="rights" className="text-h2">
            Correct it, withdraw it, have it deleted
          </h2>
          <p>
            A parent, guardian or nominator, and anyone over 16 for themselves, may ask us at any time what we keep, have it
            corrected, withdraw an entry or have it deleted. Write to <a href={`mailto:${clubEmail}`}>{clubEmail}</a> and give
            the reference of the receipt, or the entrant and the award; we may ask you something back, to be sure who you are.
          </p>
          <p>
            A withdrawn entry is no longer judged or counted. A deleted one is gone with its files, the mails about it that we
            keep and everything our log says of it: what stays is that an entry was deleted, when, and by which of us.
          </p>
        </section>
        <section aria-labelledby="notice" className="grid max-w-[36em] gap-4">
          <h2 id="notice" className="text-h2">
            The notice under the forms
          </h2>
          <ul className="grid list-disc gap-1.5 pl-5">
            {privacyNotice.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          <p>
            <ExternalLink href={privacyUrl}>Privacy policy of the international organisation</ExternalLink>
          </p>
        </section>
      </div>
    </>
  )
}
