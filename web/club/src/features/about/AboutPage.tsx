import { Link } from 'react-router'
import { ExternalLink } from '@/components/ExternalLink'
import { Figures } from '@/components/Figures'
import { PortholeList } from '@/components/PortholeList'
import { withPortholes } from '@/components/portholes'
import { SectionHead } from '@/components/SectionHead'
import { SkyStrip } from '@/components/SkyStrip'
import { values } from '@/content/club'
import { getSettings } from '@/lib/config'
import { getContent } from '@/lib/site-content'
import { usePage } from '@/lib/use-page'
import { Button } from '@cloch/ui/components/button'

export function Component() {
  usePage({
    title: 'About Us',
    description:
      'Who we are: neighbours in Gourock serving since 1925, part of an international organisation of 1.2 million members.',
    path: '/about',
  })
  return (
    <>
      <SkyStrip
        title="About Us"
        lede="Neighbours in Gourock, serving since 1925, and part of something that reaches round the world."
        motif="lighthouse"
      >
        <Button asChild>
          <Link to="/get-involved">Get Involved</Link>
        </Button>
        <Button asChild variant="outline">
          <Link to="/club-history">Club History</Link>
        </Button>
      </SkyStrip>
      <section
        aria-label="Introduction"
        className="section wrap grid gap-x-20 gap-y-6 desk:grid-cols-[minmax(0,7fr)_minmax(0,4fr)]"
      >
        <p className="max-w-[34em] text-lede">
          We meet on Thursdays at the golf club. There is company, a guest speaker, and then the business of the week: who needs
          a hand, what it would take, and which of us is free on Saturday.
        </p>
        <p className="max-w-[36em] text-muted-foreground">
          Through the year we raise money for good causes, run four awards for young people, and keep an eye on the town we live
          in. Members come from every trade and from none. What we have in common is that we turn up.
        </p>
      </section>
      <section aria-labelledby="impact" className="bg-card">
        <div className="section wrap">
          <SectionHead
            id="impact"
            title="Global impact"
            intro="The club is one of many in an international organisation. Together they can do what no town can do alone."
          />
          <Figures figures={getContent().figures.about} />
          <p className="mt-6">
            <ExternalLink href={getSettings().organisationUrl} className="inline-flex min-h-11 items-center gap-1">
              Learn more
            </ExternalLink>
          </p>
        </div>
      </section>
      <section aria-labelledby="values" className="section wrap">
        <SectionHead id="values" title="What we value" />
        <PortholeList items={withPortholes(values, ['skiff', 'dinner', 'lighthouse', 'dinghies'])} />
      </section>
    </>
  )
}
