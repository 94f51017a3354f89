/** Seasons for the tests of the visitors' site: their dates open and close the forms. */
import { expect, type Site } from './site.ts'

/** Returns the date in Gourock that is `days` days from now. */
export const day = (days: number) =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London' }).format(Date.now() + days * 24 * 3600 * 1000)

/** A season whose last day for entries was yesterday. */
export const closedSeason = { name: 'Season of a test', opens_on: day(-60), deadline_on: day(-1), event_on: day(20) }
/** A season whose first day for entries is in ten days. */
export const comingSeason = { name: 'Season of a test', opens_on: day(10), deadline_on: day(40), event_on: day(60) }

/** Replaces all seasons. Without values, there is no season, and the forms are open. */
export async function setSeason(site: Site, values: object | undefined) {
  await site.database.from('late_links').delete().not('id', 'is', null)
  await site.database.from('seasons').delete().not('id', 'is', null)
  if (values) expect((await site.database.from('seasons').insert(values)).error).toBeNull()
}

/** Waits until the server writes this part into its pages. The server queries the database once per second. */
export const written = (site: Site, part: string) => expect.poll(async () => (await fetch(`${site.url}/young-artist`)).text()).toContain(part)

/** Sets a season in which no entries are accepted now, and waits until the pages say so. */
export async function close(site: Site, season: object = closedSeason) {
  await setSeason(site, season)
  await written(site, '"isClosed":true')
}

/** Deletes all seasons, and waits until the forms are open. */
export async function open(site: Site) {
  await setSeason(site, undefined)
  await written(site, '"isClosed":false')
}

/** Makes a late link for a form. Returns its token. */
export async function makeLateLink(site: Site, award: string): Promise<string> {
  const { data, error } = await site.database.rpc('create_late_link', { award, entrant: 'Rory Late', last_day: day(2) })
  expect(error).toBeNull()
  return String(data)
}
