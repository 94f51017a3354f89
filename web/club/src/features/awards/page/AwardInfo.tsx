import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { ExternalLink } from '@/components/ExternalLink'
import { ClosedSentence } from '@/components/form/ClosedEntries'
import { NoScriptNote } from '@/components/NoScriptNote'
import type { AwardPageContent } from '@/content/award-pages'
import { getSettings } from '@/lib/config'
import { when } from '@/lib/content-template'
import { getContent } from '@/lib/site-content'
import { Button } from '@cloch/ui/components/button'
import { AwardHero } from './AwardHero'
import { Criteria, Description, Winners } from './AwardText'
import { Timeline } from './Timeline'

interface AwardInfoProps {
  page: AwardPageContent
  onSubmit: () => void
  /** Called when the pointer is over the button or the button gets the focus. */
  onReach: () => void
}

/** The information about an award: description, criteria, winners, dates, and how to enter. */
export function AwardInfo({ page, onSubmit, onReach }: AwardInfoProps) {
  return (
    <div onPointerOver={onReach} onFocus={onReach}>
      <AwardHero page={page}>
        <WhileOpen closed={<ClosedNote />}>
          <Button onClick={onSubmit} className="needs-script border-white bg-white text-ink">
            {page.submit}
          </Button>
        </WhileOpen>
        {page.links.map(({ text, setting }) => (
          <Button key={text} asChild variant="outline" className="border-current bg-[var(--award-sky)] text-inherit">
            <ExternalLink href={getSettings()[setting]}>{text}</ExternalLink>
          </Button>
        ))}
      </AwardHero>
      <Facts page={page} />
      <div className="section wrap grid items-start gap-14 desk:grid-cols-[minmax(0,7fr)_minmax(0,4fr)] desk:gap-20">
        <div className="grid gap-16">
          <Description page={page} />
          <Criteria page={page} />
          <Winners page={page} />
        </div>
        <aside className="grid gap-11 desk:sticky desk:top-8">
          <Timeline />
          <HowTo page={page} onSubmit={onSubmit} />
        </aside>
      </div>
      <Closing page={page} onSubmit={onSubmit} />
    </div>
  )
}

/** Content that is shown only while entries are open. */
function WhileOpen({ closed, children }: { closed: ReactNode; children: ReactNode }) {
  return when(getContent().entries.isClosed, () => closed, children)
}

function ClosedNote() {
  return (
    <p className="max-w-[24em] font-strong">
      <ClosedSentence />
    </p>
  )
}

function Facts({ page }: { page: AwardPageContent }) {
  return (
    <div className="band border-b bg-card">
      <dl className="wrap grid grid-cols-2 desk:grid-cols-4">
        {page.facts.map(({ term, value }) => (
          <div key={term} className="py-4 pr-3 desk:border-l desk:px-6 desk:py-5 desk:first:border-l-0 desk:first:pl-0">
            <dt className="text-small text-muted-foreground">{term}</dt>
            <dd className="mt-0.5 font-display text-xl leading-tight font-bold desk:text-[1.4375rem]">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

function HowTo({ page, onSubmit }: Omit<AwardInfoProps, 'onReach'>) {
  return (
    <section aria-labelledby="how">
      <h2 id="how" className="text-[1.625rem] leading-tight">
        {page.howTitle}
      </h2>
      <ol className="mt-3 mb-5 grid gap-2.5">
        {page.steps.map((step, index) => (
          <li key={step} className="grid grid-cols-[1.75rem_1fr]">
            <span className="font-display font-extrabold text-award-ink">{index + 1}</span>
            {step}
          </li>
        ))}
      </ol>
      <WhileOpen closed={<ClosedNote />}>
        <Button onClick={onSubmit} className="needs-script">
          {page.submit}
        </Button>
        <NoScriptNote />
      </WhileOpen>
      <p className="mt-3">
        <Link to={page.filesLink.href} className="inline-block py-1.5">
          {page.filesLink.text}
        </Link>
      </p>
    </section>
  )
}

function Closing({ page, onSubmit }: Omit<AwardInfoProps, 'onReach'>) {
  return (
    <section className="bg-award-wash">
      <div className="wrap flex flex-wrap items-center justify-between gap-x-10 gap-y-5 py-[clamp(2.5rem,1.5rem+3vw,4.5rem)]">
        <p className="max-w-[24em] font-display text-h2 font-bold text-balance">{page.closing}</p>
        <WhileOpen closed={<ClosedNote />}>
          <Button onClick={onSubmit} className="needs-script">
            {page.submit}
          </Button>
        </WhileOpen>
      </div>
    </section>
  )
}
