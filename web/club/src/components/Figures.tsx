import { each } from '@/lib/content-template'
import type { Figure } from '@/lib/site-content'

interface FiguresProps {
  figures: Figure[]
}

/** Large numbers in a row with lines. */
export function Figures({ figures }: FiguresProps) {
  return (
    <dl className="band @container grid border-b sm:grid-cols-2 desk:grid-cols-4">
      {each(figures, ({ figure, text }) => (
        <div className="flex flex-col gap-1 border-t py-5 first:border-t-0 sm:max-desk:nth-2:border-t-0 desk:border-t-0 desk:border-l desk:px-6 desk:first:border-l-0 desk:first:pl-0">
          <dt className="order-2 text-muted-foreground">{text}</dt>
          <dd className="font-display text-[clamp(1.75rem,1.2rem+1.2vw,2.25rem)] leading-none font-extrabold tracking-tight whitespace-nowrap @max-[44rem]:whitespace-normal">
            {figure}
          </dd>
        </div>
      ))}
    </dl>
  )
}
