import type { ReactNode } from 'react'

interface EntryRowProps {
  number: number
  name: string
  badge?: ReactNode
  /** Labels with values. They are on one line if there is enough room. */
  facts: [label: string, value: ReactNode][]
  /** A sentence under the facts. */
  children?: ReactNode
  actions: ReactNode
}

/** An entry of a list, with its data at the left and actions at the right. */
export function EntryRow({ number, name, badge, facts, children, actions }: EntryRowProps) {
  return (
    <article className="grid grid-cols-[2rem_1fr] gap-x-2 border-b py-4.5">
      <span className="text-muted-foreground tabular-nums">{number}.</span>
      <div className="grid min-w-0 gap-x-8 gap-y-2 lg:grid-cols-[minmax(0,1fr)_auto] lg:items-center">
        <div className="min-w-0">
          <h3 className="flex flex-wrap items-center gap-x-3 gap-y-1.5 font-sans text-[1.0625rem] leading-snug font-bold tracking-normal [overflow-wrap:anywhere]">
            {name}
            {badge}
          </h3>
          <dl className="flex flex-wrap gap-x-6 text-[0.9688rem]">
            {facts.map(([label, value]) => (
              <div key={label} className="flex gap-1.5">
                <dt className="text-muted-foreground">{label}</dt>
                <dd className="[overflow-wrap:anywhere]">{value}</dd>
              </div>
            ))}
          </dl>
          {children ? <div className="mt-0.5 line-clamp-3 [overflow-wrap:anywhere]">{children}</div> : null}
        </div>
        <div className="flex flex-wrap gap-2">{actions}</div>
      </div>
    </article>
  )
}
