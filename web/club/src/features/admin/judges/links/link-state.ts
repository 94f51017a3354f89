import { formatDay, formatMoment } from '@/lib/dates'
import type { JudgeLinkRow } from './judge-links'

/** Returns a short description of a judge's link for the table of judges. */
export function linkState(link: JudgeLinkRow | undefined): string {
  if (!link) return 'No link'
  if (!link.works) return link.revoked_at === null ? 'Link ended' : 'Link revoked'
  if (link.used_at === null) return 'Not opened'
  return link.sections === 0 ? 'Opened' : `Finished ${link.finished} of ${link.sections}`
}

/** What happened to the link: when it was made, used and ended. */
export function linkStory(link: JudgeLinkRow): string {
  const by = link.created_by === null ? '' : ` by ${link.created_by}`
  const made = `Made on ${formatDay(link.created_at)}${by}.`
  const used = link.used_at === null ? 'Not opened yet.' : `Opened last on ${formatMoment(link.used_at)}.`
  if (link.revoked_at !== null) return `${made} Revoked on ${formatDay(link.revoked_at)} by ${link.revoked_by ?? 'the server'}.`
  return link.works ? `${made} ${used}` : `${made} It ended with its season.`
}
