import { Suspense, useEffect, useRef, useState, type ComponentType } from 'react'
import { useSearchParams } from 'react-router'
import { Admission } from '@/components/form/Admission'
import { lazyPart, type LazyPart } from '@/components/lazy-part'
import { NoScriptNote } from '@/components/NoScriptNote'
import type { AwardPageContent } from '@/content/award-pages'
import { season } from '@/content/awards'
import type { PageViews } from '@/lib/page-views'
import { usePage } from '@/lib/use-page'
import { AwardStrip } from './AwardHero'
import { AwardInfo } from './AwardInfo'
import { SentBefore } from './SentEntries'

const awardClasses = {
  citizen: 'award-citizen',
  musician: 'award-musician',
  photographer: 'award-photographer',
  artist: 'award-artist',
}

interface AwardPageProps {
  page: AwardPageContent
  /** The form. Its code is fetched when the pointer or the focus reaches the button that opens it. */
  Form: LazyPart<object>
}

/** The page of an award. It shows either the information or the form. The URL says which, so that the browser's Back button works. */
function AwardPage({ page, Form }: AwardPageProps) {
  const [params, setParams] = useSearchParams()
  const filling = params.get('view') === 'form'
  const frame = useRef<HTMLDivElement>(null)
  const shown = useRef(filling)
  // If the form's code was fetched before the page was first rendered, the form is rendered (and hydrated) together with the page, without
  // <Suspense>.
  const [isFetched] = useState(Form.isFetched)
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
              <NoScriptNote />
              <div className="needs-script">
                {isFetched ? (
                  <Form />
                ) : (
                  <Suspense fallback={<p className="min-h-[60dvh]">Loading the form…</p>}>
                    <Form />
                  </Suspense>
                )}
              </div>
            </Admission>
            <SentBefore />
          </div>
        </>
      ) : (
        <AwardInfo
          page={page}
          onSubmit={() => setParams({ view: 'form' })}
          onReach={() => void Form.fetch().catch(() => undefined)}
        />
      )}
    </div>
  )
}

/**
 * Creates the module of an award's route. The component shows the page; `handle.views` lists the view with the form, which is also rendered at build
 * time.
 */
export function awardPage(page: AwardPageContent, loadForm: () => Promise<{ default: ComponentType }>) {
  const Form = lazyPart(loadForm)
  const views: PageViews = { 'view=form': Form.fetch }
  function Component() {
    return <AwardPage page={page} Form={Form} />
  }
  return { Component, handle: { views } }
}
