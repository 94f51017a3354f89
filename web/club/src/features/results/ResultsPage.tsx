import { SectionHead } from '@/components/SectionHead'
import { SitePicture } from '@/components/SitePicture'
import { SkyStrip } from '@/components/SkyStrip'
import { season } from '@/content/awards'
import { each, when } from '@/lib/content-template'
import { getContent } from '@/lib/site-content'
import { usePage } from '@/lib/use-page'

/** The bucket of the entries' files. Visitors can read only the pictures of the published gallery. */
const entryBucket = 'youth-awards-submissions'
/** Width of a gallery picture in pixels, for a screen with two device pixels per CSS pixel. */
const galleryWidth = 800

/** The page with the winners, places and pictures of the season. It shows only people who have consented. */
export function Component() {
  usePage({
    title: 'Results',
    description: 'Winners and places of the Youth Awards, and a gallery of their pictures.',
    path: '/results',
  })
  const { results, gallery } = getContent()
  return (
    <>
      <SkyStrip title="Results" lede="Who won the Youth Awards, and what they made." motif="yachts" />
      <div className="section wrap grid gap-12">
        {each(
          results,
          ({ award, rows }) => (
            <section aria-label={award}>
              <h2 className="text-h2">{award}</h2>
              <ul className="band mt-5">
                {each(rows, ({ result, category, name, title }) => (
                  <li className="grid gap-x-8 gap-y-1 border-b py-4 sm:grid-cols-[12rem_1fr]">
                    <p className="text-muted-foreground">
                      {result}, {category}
                    </p>
                    <div>
                      <h3 className="text-h3">{name}</h3>
                      {when(title, (text) => (
                        <p>{text}</p>
                      ))}
                    </div>
                  </li>
                ))}
              </ul>
            </section>
          ),
          <p className="max-w-[36em]">
            The results are announced at the ceremony on {season.ceremony}. Afterwards this page names the winners who have
            agreed to it.
          </p>,
        )}
      </div>
      <section aria-labelledby="gallery" className="bg-card">
        <div className="section wrap">
          <SectionHead id="gallery" title="Gallery" intro="Pictures of entrants who have agreed to show them." />
          <ul className="grid gap-8 sm:grid-cols-2 desk:grid-cols-3">
            {each(
              gallery,
              ({ picture, name, title, alt }) => (
                <li>
                  <figure>
                    <SitePicture path={picture} alt={alt} bucket={entryBucket} width={galleryWidth} />
                    <figcaption className="mt-2 [overflow-wrap:anywhere]">
                      {when(title, (text) => (
                        <span className="font-strong">{text}, </span>
                      ))}
                      {name}
                    </figcaption>
                  </figure>
                </li>
              ),
              <li className="sm:col-span-2">No pictures are shown yet.</li>,
            )}
          </ul>
        </div>
      </section>
    </>
  )
}
