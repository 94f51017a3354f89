import { useEffect, useRef, type ReactNode } from 'react'
import { useTitle } from '@/lib/use-title'

interface PageProps {
  title: string
  /** One sentence about the purpose of the page. */
  lede?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** The frame of a page: heading, actions and content. When the page opens, the heading gets the focus. */
export function Page({ title, lede, actions, children }: PageProps) {
  useTitle(title)
  return (
    <div data-page className="grid content-start gap-5 px-4 py-5 sm:px-6 lg:px-8">
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div className="grid gap-1">
          <PageTitle>{title}</PageTitle>
          {lede !== undefined && (
            <p data-lede className="max-w-[46em] text-pretty text-muted-foreground">
              {lede}
            </p>
          )}
        </div>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

export function PageTitle({ children }: { children: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1} className="text-h1">
      {children}
    </h1>
  )
}

/** A section of a page, with a line at its top. */
export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="grid content-start gap-3">
      <div className="flex min-h-10 flex-wrap items-end justify-between gap-2 border-b-3 border-foreground pb-1.5">
        <h2 className="text-h2">{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  )
}
