import { LazyForm } from '@/components/LazyForm'
import { PortholeList } from '@/components/PortholeList'
import { withPortholes } from '@/components/portholes'
import { RuledList } from '@/components/RuledList'
import { SectionHead } from '@/components/SectionHead'
import { SkyStrip } from '@/components/SkyStrip'
import { lazyPart } from '@/components/lazy-part'
import { memberExpectations, reasonsToJoin } from '@/content/club'
import { usePage } from '@/lib/use-page'

const ContactForm = lazyPart(() => import('./ContactForm'))

export function Component() {
  usePage({
    title: 'Get Involved',
    description: 'Join an organisation built to help the community, lend a hand, or send us a suggestion.',
    path: '/get-involved',
  })
  return (
    <>
      <SkyStrip
        title="Get Involved"
        lede="Join an organisation built to help the community. Come once, come often, or just send us an idea."
        motif="yachts"
      />
      <div className="section wrap grid items-start gap-16 desk:grid-cols-2 desk:gap-20">
        <section aria-labelledby="why">
          <SectionHead id="why" title="Why Join" />
          <RuledList items={reasonsToJoin} numbered />
        </section>
        <section aria-labelledby="ready">
          <SectionHead id="ready" title="Ready to Get Involved?" />
          <LazyForm height="46rem">
            <ContactForm
              form="get-involved"
              description="Let us know why you want to Get Involved, and if you have any suggestions!"
            />
          </LazyForm>
        </section>
      </div>
      <section aria-labelledby="expect" className="bg-card">
        <div className="section wrap">
          <SectionHead id="expect" title="What to Expect as a Member" />
          <PortholeList items={withPortholes(memberExpectations, ['lectern', 'skiff', 'viewfinder', 'ferry'])} />
        </div>
      </section>
    </>
  )
}
