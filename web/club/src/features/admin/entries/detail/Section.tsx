import type { ReactNode } from 'react'

export type Fact = [label: string, value: ReactNode]

interface SectionProps {
  title: string
  facts?: Fact[]
  children?: ReactNode
}

/** A part of an entry's data: labels with values. Empty values are shown as "-". */
export function Section({ title, facts, children }: SectionProps) {
  return (
    <section className="grid gap-3 border-t pt-4 first:border-t-0 first:pt-0">
      <h3 className="font-sans text-[1.0625rem] leading-snug font-bold tracking-normal">{title}</h3>
      {facts ? (
        <dl className="grid gap-2">
          {facts.map(([label, value]) => (
            <div key={label} className="grid gap-x-4 sm:grid-cols-[11rem_minmax(0,1fr)]">
              <dt className="text-muted-foreground">{label}</dt>
              <dd className="[overflow-wrap:anywhere] whitespace-pre-line">{isEmpty(value) ? '-' : value}</dd>
            </div>
          ))}
        </dl>
      ) : null}
      {children}
    </section>
  )
}

function isEmpty(value: ReactNode): boolean {
  return value === null || value === undefined || value === ''
}
