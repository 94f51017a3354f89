import { MoreLink } from '@/components/MoreLink'
import { Panorama } from '@/components/Panorama'
import { SectionHead } from '@/components/SectionHead'
import { season } from '@/content/awards'
import { getSettings } from '@/lib/config'
import { usePage } from '@/lib/use-page'
import { Hero } from './Hero'
import { Projects } from './Projects'
import { Quay } from './Quay'
import { UpcomingEvents } from './UpcomingEvents'

export function Component() {
  const { clubName, clubEmail, websiteUrl } = getSettings()
  usePage({
    title: '',
    description:
      'Neighbours in Gourock who meet on Thursdays, raise money for good causes and run four awards for the young people of the Clyde coast. Visitors are welcome.',
    path: '/',
    structured: {
      '@context': 'https://schema.org',
      '@type': 'NGO',
      name: clubName,
      email: clubEmail,
      url: websiteUrl,
      foundingDate: '1925',
      address: { '@type': 'PostalAddress', addressLocality: 'Gourock', addressCountry: 'GB' },
    },
  })
  return (
    <>
      <Hero />
      <Quay />
      <UpcomingEvents />
      <section aria-labelledby="youth-awards">
        <SectionHead
          id="youth-awards"
          className="wrap"
          title="Four youth awards, one shore"
          intro={`Nominations open ${season.opensWhen} and close on ${season.deadline}. The ceremony is on ${season.ceremony}.`}
          action={<MoreLink to="/youth-awards">All Youth Awards</MoreLink>}
        />
        <Panorama />
      </section>
      <Projects />
    </>
  )
}
