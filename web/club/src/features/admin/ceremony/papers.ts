import { getSettings } from '@/lib/config'
import type { SiteContent } from '@/lib/site-content'
import { connect } from '@/lib/supabase'
import { saveBlob } from '../shared/save-blob'
import type { Honour } from './honours'
import type { LeftOut } from './pdf/paper'
import type { Ceremony } from './programme-lines'

export type PaperName = 'certificates' | 'programme'

/** Reads the data of the ceremony. Date and time are those of the season, as shown on the website; the place is that of the ceremony's event. */
async function readCeremony(): Promise<Ceremony> {
  const supabase = await connect()
  const [content, events] = await Promise.all([
    supabase.rpc('published_content'),
    supabase.from('site_events').select('location').eq('is_ceremony', true).order('position').limit(1),
  ])
  if (content.error) throw content.error
  if (events.error) throw events.error
  const { texts } = content.data as unknown as SiteContent
  return {
    club: getSettings().clubName,
    date: texts.ceremony,
    time: texts.ceremonyTime,
    location: events.data[0]?.location ?? '',
  }
}

/**
 * Creates a PDF and starts its download in the browser. The PDF is neither stored on the server nor sent to anybody.
 * @returns the winners that had to be left out
 */
export async function savePaper(name: PaperName, honours: readonly Honour[]): Promise<readonly LeftOut[]> {
  const [ceremony, files, draw] = await Promise.all([
    readCeremony(),
    import('./pdf/font-files').then(({ loadFontFiles }) => loadFontFiles()),
    name === 'certificates'
      ? import('./pdf/certificates').then((module) => module.certificates)
      : import('./pdf/programme').then((module) => module.programme),
  ])
  const { pdf, left } = await draw(honours, ceremony, files)
  saveBlob(new Blob([pdf as Uint8Array<ArrayBuffer>], { type: 'application/pdf' }), `${name}.pdf`)
  return left
}
