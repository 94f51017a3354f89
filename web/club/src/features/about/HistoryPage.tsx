import { GolfShore } from '@/components/art/GolfShore'
import { Figures } from '@/components/Figures'
import { MoreLink } from '@/components/MoreLink'
import { SectionHead } from '@/components/SectionHead'
import { SkyStrip } from '@/components/SkyStrip'
import { getSettings } from '@/lib/config'
import { each, when } from '@/lib/content-template'
import { getContent } from '@/lib/site-content'
import { usePage } from '@/lib/use-page'

export function Component() {
  usePage({
    title: 'Club History',
    description: 'A hundred years of a service club in Gourock: how it began, what it raised, and whom it remembers.',
    path: '/club-history',
  })
  const { chapters, figures, texts } = getContent()
  return (
    <>
      <SkyStrip title="Club History" lede="A hundred years of Thursdays, told briefly." motif="ferry" />
      <section aria-label="Chapters" className="section wrap">
        <ol className="band">
          {each(chapters, ({ years, title, text }) => (
            <li className="grid gap-x-8 gap-y-2 border-b py-8 md:grid-cols-[12rem_1fr] desk:grid-cols-[3fr_7fr_2fr]">
              <p className="font-display text-[clamp(1.75rem,1.4rem+1.6vw,2.75rem)] leading-none font-extrabold tracking-tight">
                {years}
              </p>
              <div>
                <h2 className="text-h3">{title}</h2>
                <p className="mt-2 max-w-[36em]">{text}</p>
              </div>
            </li>
          ))}
        </ol>
      </section>
      <section aria-label="In memory" className="wrap">
        <div className="border-y-6 border-foreground py-[clamp(2.5rem,5vw,4.5rem)]">
          <h2 className="text-h2">In memory</h2>
          <p className="mt-4 max-w-[30em] text-lede">{texts.memorial}</p>
        </div>
      </section>
      <section aria-labelledby="figures" className="section wrap">
        <SectionHead
          id="figures"
          title="What was raised"
          intro={when(
            getSettings().charityNumber,
            (number) => `The club’s charity is registered with the Scottish regulator: number ${number}.`,
            'The club’s charity is registered with the Scottish regulator; its registration number is on every collecting can.',
          )}
        />
        <Figures figures={figures.history} />
      </section>
      <section aria-labelledby="region" className="bg-card">
        <div className="section wrap grid items-center gap-x-16 gap-y-8 desk:grid-cols-[7fr_5fr]">
          <div>
            <SectionHead id="region" title="Our region of Scotland" />
            <p className="max-w-[36em]">{texts.region}</p>
            <MoreLink to="/get-involved" className="mt-6">
              Get Involved
            </MoreLink>
          </div>
          <GolfShore />
        </div>
      </section>
    </>
  )
}
