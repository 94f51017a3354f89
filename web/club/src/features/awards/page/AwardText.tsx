import type { AwardPageContent } from '@/content/award-pages'
import { each } from '@/lib/content-template'

export function Description({ page }: { page: AwardPageContent }) {
  return (
    <section aria-label="About the award" className="grid max-w-[36em] gap-4">
      {page.description.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
    </section>
  )
}

export function Criteria({ page }: { page: AwardPageContent }) {
  return (
    <section aria-labelledby="criteria">
      <h2 id="criteria" className="text-h2">
        {page.criteriaTitle}
      </h2>
      <ul className="band mt-6">
        {page.criteria.map(({ name, text }) => (
          <li key={name} className="grid gap-1 border-b py-4.5 md:grid-cols-[15rem_1fr] md:gap-6">
            <h3 className="text-h3">{name}</h3>
            <p className="text-muted-foreground">{text}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

export function Winners({ page }: { page: AwardPageContent }) {
  return (
    <section aria-labelledby="winners">
      <h2 id="winners" className="text-h2">
        Past winners
      </h2>
      <ul className="mt-5 grid gap-4">
        {each(page.winners, ({ year, text }) => (
          <li className="grid grid-cols-[5rem_1fr] gap-4 border-t pt-4">
            <h3 className="font-display text-2xl leading-tight font-extrabold text-award-ink">{year}</h3>
            <p>{text}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
