import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { AwardScene } from '@/components/art/AwardScene'
import type { AwardPageContent } from '@/content/award-pages'
import './award.css'

interface AwardHeroProps {
  page: AwardPageContent
  children: ReactNode
}

/** The header of an award's page: the scene, with the title in its sky. */
export function AwardHero({ page, children }: AwardHeroProps) {
  return (
    <section className="award-hero">
      <div className="award-hero-picture no-print">
        <AwardScene award={page.award} view="wide" />
      </div>
      <div className="award-hero-words wrap">
        <Link to="/youth-awards" className="inline-flex min-h-11 items-center gap-1.5 font-medium">
          <ArrowLeft aria-hidden />
          Youth Awards
        </Link>
        <h1 tabIndex={-1} className="max-w-[14em] text-title">
          {page.title}
        </h1>
        <p className="mt-4 max-w-[23em] text-lede">{page.lede}</p>
        <div className="mt-6 flex flex-wrap gap-3">{children}</div>
      </div>
    </section>
  )
}

interface AwardStripProps {
  page: AwardPageContent
  onBack: () => void
  deadline: string
}

/** The header above an award's form: a short strip of the same scene, with the title in its sky. */
export function AwardStrip({ page, onBack, deadline }: AwardStripProps) {
  return (
    <section className="award-hero award-strip">
      <div className="award-hero-picture no-print">
        <AwardScene award={page.award} view="strip" />
      </div>
      <div className="award-hero-words wrap">
        <button
          type="button"
          onClick={onBack}
          className="needs-script no-print inline-flex min-h-11 items-center gap-1.5 font-medium underline underline-offset-4 hover:decoration-3"
        >
          <ArrowLeft aria-hidden />
          {page.back}
        </button>
        <h1 tabIndex={-1} className="text-[clamp(1.875rem,1.5rem+1.7vw,2.875rem)] leading-tight">
          {page.formTitle}
        </h1>
        <p className="mt-1.5 text-lede">Deadline {deadline}</p>
      </div>
    </section>
  )
}
