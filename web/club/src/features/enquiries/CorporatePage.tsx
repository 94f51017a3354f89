import { Fragment } from 'react'
import { LazyForm } from '@/components/LazyForm'
import { PortholeRow, PortholeRows } from '@/components/PortholeList'
import { portholes } from '@/components/portholes'
import { RuledList } from '@/components/RuledList'
import { SectionHead } from '@/components/SectionHead'
import { SkyStrip } from '@/components/SkyStrip'
import { lazyPart } from '@/components/lazy-part'
import { meeting } from '@/content/club'
import { each, when } from '@/lib/content-template'
import { getContent, pictureNames, type Corporate } from '@/lib/site-content'
import { usePage } from '@/lib/use-page'

const CorporateForm = lazyPart(() => import('./CorporateForm'))

export function Component() {
  usePage({
    title: 'Corporate Membership',
    description: 'One membership for several people of your company: meet the town, lend a hand, and support the youth awards.',
    path: '/corporate-membership',
  })
  const { corporate, texts } = getContent()
  return (
    <>
      <SkyStrip title="Corporate Membership" lede={texts.corporateLede} motif="lighthouse" />
      <div className="section wrap grid items-start gap-16 desk:grid-cols-[minmax(0,7fr)_minmax(0,5fr)] desk:gap-20">
        <div className="grid gap-16">
          <section aria-labelledby="benefits">
            <SectionHead id="benefits" title="What it brings you" />
            <RuledList items={corporate.benefits} numbered />
          </section>
          <Partners />
        </div>
        <div className="grid gap-12">
          <LazyForm height="52rem">
            <CorporateForm />
          </LazyForm>
          <NextSteps />
        </div>
      </div>
      <section aria-labelledby="projects" className="bg-card">
        <div className="section wrap">
          <SectionHead id="projects" title="Projects to be part of" />
          <PortholeRows>
            {each(corporate.projects, ({ name, text, pictures }) => (
              <PortholeRow name={name} text={text} picture={<ProjectPicture pictures={pictures} />} />
            ))}
          </PortholeRows>
        </div>
      </section>
    </>
  )
}

/** The picture of a project. Admins choose it in the back-office. */
function ProjectPicture({ pictures }: Pick<Corporate['projects'][number], 'pictures'>) {
  return pictureNames.map((name) => <Fragment key={name}>{when(pictures[name], () => portholes[name])}</Fragment>)
}

function Partners() {
  return (
    <section aria-labelledby="partners">
      <SectionHead id="partners" title="Two of our partners" />
      <div className="grid gap-6 sm:grid-cols-2">
        {each(getContent().partners, ({ name, text }) => (
          <figure className="rounded border bg-card p-6">
            <blockquote>
              <p>{text}</p>
            </blockquote>
            <figcaption className="mt-3 font-strong">{name}</figcaption>
          </figure>
        ))}
      </div>
    </section>
  )
}

function NextSteps() {
  return (
    <section aria-labelledby="next" className="grid gap-5">
      <h2 id="next" className="text-[1.625rem] leading-tight">
        Next steps
      </h2>
      <ol className="grid gap-3 [counter-reset:step]">
        {each(getContent().corporate.steps, ({ text }) => (
          <li className="grid grid-cols-[1.75rem_1fr] [counter-increment:step]">
            <span aria-hidden className="font-display font-extrabold before:content-[counter(step)]" />
            {text}
          </li>
        ))}
      </ol>
      <p className="border-t pt-4">
        <b>We meet</b> {meeting.day}, {meeting.hours.replace('Thursday ', '')}. {meeting.place}. Some evenings begin with a bite
        to eat at 6:30 PM: ask us before your first visit.
      </p>
    </section>
  )
}
