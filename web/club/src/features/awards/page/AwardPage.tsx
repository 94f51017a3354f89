import { Suspense, useEffect, useRef, type ComponentType, type ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { Admission } from '@/components/form/Admission'
import { lazyPart } from '@/components/lazy-part'
import type { AwardPageContent } from '@/content/award-pages'
import { season } from '@/content/awards'
import { usePage } from '@/lib/use-page'
import { AwardStrip } from './AwardHero'
import { AwardInfo } from './AwardInfo'

const awardClasses = {
  citizen: 'award-citizen',
  musician: 'award-musician',
  photographer: 'award-photographer',
  artist: 'award-artist',
}

interface AwardPageProps {
  page: AwardPageContent
  form: ReactNode
  /** Fetches the form's code; called when somebody reaches for the button. */
  prepare: () => Promise<unknown>
}

/** An award's page: information, or the form in its place. Which one is in the address, so that the browser's back button works. */
function AwardPage({ page, form, prepare }: AwardPageProps) {
  const [params, setParams] = useSearchParams()
  const filling = params.get('view') === 'form'
  const frame = useRef<HTMLDivElement>(null)
  const shown = useRef(filling)
  usePage({ title: filling ? page.formTitle : page.title, description: page.summary, path: page.path })

  useEffect(() => {
    if (shown.current === filling) return
    shown.current = filling
    frame.current?.querySelector('h1')?.focus({ preventScroll: true })
  }, [filling])

  return (
    <div ref={frame} className={awardClasses[page.award]}>
      {filling ? (
        <>
          <AwardStrip page={page} deadline={season.deadline} onBack={() => setParams({})} />
          <div className="wrap pt-[clamp(2rem,4vw,4rem)] pb-[clamp(3.5rem,6vw,6rem)]">
            <Admission form={page.award}>
              <Suspense fallback={<p className="min-h-[60dvh]">Loading the form…</p>}>{form}</Suspense>
            </Admission>
          </div>
        </>
      ) : (
        <AwardInfo
          page={page}
          onSubmit={() => setParams({ view: 'form' })}
          onReach={() => void prepare().catch(() => undefined)}
        />
      )}
    </div>
  )
}

/** The component of an award's route; its form is fetched when somebody reaches for it. */
export function awardPage(page: AwardPageContent, loadForm: () => Promise<{ default: ComponentType }>) {
  const Form = lazyPart(loadForm)
  return function Component() {
    return <AwardPage page={page} form={<Form />} prepare={loadForm} />
  }
}
