import { useEffect, useRef, type ReactNode } from 'react'
import { cn } from '@cloch/ui/lib/cn'
import { hasContent } from '@/lib/has-content'
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
      {/* On a phone, the actions are beside the title if there is space, and the sentence is below both. */}
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 sm:grid sm:grid-cols-[minmax(8rem,1fr)_auto] sm:items-start">
        <div className="min-w-0 flex-1 basis-auto">
          <PageTitle>{title}</PageTitle>
        </div>
        {lede !== undefined && (
          <p
            data-lede
            className="max-w-[46em] text-pretty text-muted-foreground max-sm:order-last max-sm:basis-full sm:col-start-1"
          >
            {lede}
          </p>
        )}
        {hasContent(actions) && (
          <div className="flex flex-wrap gap-2 sm:col-start-2 sm:row-span-2 sm:row-start-1 sm:justify-end">{actions}</div>
        )}
      </header>
      {children}
    </div>
  )
}

/** Many buttons in one row. On a phone, the row scrolls sideways, because several rows would take the space of the content. */
export function ButtonRow({ children, className }: { children: ReactNode; className?: string }) {
  return <div className={cn('flex items-center gap-2 sm:flex-wrap', scrolledRow, className)}>{children}</div>
}

const scrolledRow =
  'max-sm:relative max-sm:-mx-4 max-sm:-my-1 max-sm:overflow-x-auto max-sm:px-4 max-sm:py-1 max-sm:[scrollbar-width:none] max-sm:*:shrink-0'

/** The fields that filter a list. On a phone, they are in two columns; a field with `col-span-2` takes both. */
export function FilterFields({ children }: { children: ReactNode }) {
  return <div className="grid grid-cols-2 items-end gap-3 sm:flex sm:flex-wrap max-sm:*:only:col-span-2">{children}</div>
}

export function PageTitle({ children }: { children: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1} className="text-h1 wrap-anywhere">
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
