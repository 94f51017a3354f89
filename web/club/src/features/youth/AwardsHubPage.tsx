import { Link } from 'react-router'
import { ExternalLink } from '@/components/ExternalLink'
import { MoreLink } from '@/components/MoreLink'
import { Panorama } from '@/components/Panorama'
import { awards, season } from '@/content/awards'
import { getSettings } from '@/lib/config'
import { absoluteUrl, usePage } from '@/lib/use-page'
import { Button } from '@cloch/ui/components/button'
import { CitizenBlock, Feature, Programmes, Support } from './HubBlocks'

/**
 * The page about the club's work for young people. The four awards are first. The page is also shown at /youth, but both addresses have the same
 * canonical URL.
 */
export function Component() {
  const { ticketsUrl } = getSettings()
  usePage({
    title: 'Youth Awards',
    description:
      'Four awards for young people of the Clyde coast: Young Citizen, Young Musician, Young Photographer and Young Artist.',
    path: '/youth-awards',
    structured: {
      '@context': 'https://schema.org',
      '@type': 'ItemList',
      name: 'Youth Awards',
      itemListElement: awards.map(({ name, href, line }, index) => ({
        '@type': 'ListItem',
        position: index + 1,
        name: `${name} Award`,
        description: line,
        url: absoluteUrl(href),
      })),
    },
  })
  return (
    <>
      <div className="wrap pt-[clamp(2rem,1.4rem+2.4vw,4rem)] pb-[clamp(1.5rem,3vw,2.5rem)]">
        <h1 className="text-h1">Youth Awards</h1>
        <p className="mt-4 max-w-[34em] text-lede">
          Four awards, one shore: for those who help, those who play, those who look and those who make. Nominations open{' '}
          {season.opensWhen} and close on {season.deadline}; the ceremony is on {season.ceremony}.
        </p>
      </div>
      <Panorama />
      <section aria-labelledby="evening" className="section wrap grid gap-12 md:grid-cols-2 md:gap-20">
        <div className="band grid justify-items-start gap-4 pt-5">
          <h2 id="evening" className="text-h2">
            Come to the ceremony
          </h2>
          <p className="max-w-[30em]">
            {season.ceremony}, {season.ceremonyTime}, at the arts centre. The musicians play, the pictures hang, and nobody has
            to make a long speech.
          </p>
          <Button asChild>
            <ExternalLink href={ticketsUrl}>Get Tickets</ExternalLink>
          </Button>
          <MoreLink to="/results">Results and gallery</MoreLink>
        </div>
        <div className="band grid content-start justify-items-start gap-4 pt-5">
          <h2 className="text-h2">Not sure which one fits?</h2>
          <p className="max-w-[30em]">
            Tell us about the young person you have in mind and we will help you find the right award, or the right form.
          </p>
          <Button asChild variant="outline">
            <Link to="/contact">Contact Us</Link>
          </Button>
        </div>
      </section>
      <Feature />
      <Programmes />
      <CitizenBlock />
      <Support />
    </>
  )
}
