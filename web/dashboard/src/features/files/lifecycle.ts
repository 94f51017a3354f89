/** Lifecycle rules of buckets, in the JSON format of storage-js. This module has no side effects. */

export interface Rule {
  id: string
  status: 'Enabled' | 'Disabled'
  filter: { prefix?: string }
  expiration?: { days?: number; expiredObjectDeleteMarker?: boolean }
  noncurrentVersionExpiration?: { noncurrentDays: number; newerNoncurrentVersions?: number }
  abortIncompleteMultipartUpload?: { daysAfterInitiation: number }
}

/** The fields of the form for a new rule, as they are typed. An empty field means that the rule does not have the action. */
export interface Draft {
  prefix: string
  days: string
  formerDays: string
  formerKept: string
  uploadDays: string
  isMarkerDeleted: boolean
}

export const emptyDraft: Draft = {
  prefix: '',
  days: '',
  formerDays: '',
  formerKept: '',
  uploadDays: '',
  isMarkerDeleted: false,
}

/** Returns the rule that a filled form describes; undefined if the form describes no action. The server sets the id of the rule. */
export function ruleOf(draft: Draft): Omit<Rule, 'id'> | undefined {
  const number = (text: string) => (text.trim() === '' ? undefined : Number(text))
  const days = number(draft.days)
  const noncurrentDays = number(draft.formerDays)
  const newerNoncurrentVersions = number(draft.formerKept)
  const daysAfterInitiation = number(draft.uploadDays)
  const actions = {
    ...(days !== undefined && { expiration: { days } }),
    // A rule cannot have both a number of days and this action.
    ...(days === undefined && draft.isMarkerDeleted && { expiration: { expiredObjectDeleteMarker: true } }),
    ...(noncurrentDays !== undefined && {
      noncurrentVersionExpiration: {
        noncurrentDays,
        ...(newerNoncurrentVersions !== undefined && { newerNoncurrentVersions }),
      },
    }),
    ...(daysAfterInitiation !== undefined && { abortIncompleteMultipartUpload: { daysAfterInitiation } }),
  }
  if (Object.keys(actions).length === 0) return undefined
  return { status: 'Enabled', filter: draft.prefix === '' ? {} : { prefix: draft.prefix }, ...actions }
}

const inDays = (count: number) => (count === 1 ? '1 day' : `${count} days`)

/** Returns one phrase for each action of a rule, which describes what the rule deletes. */
export function actionsOf({
  expiration,
  noncurrentVersionExpiration: former,
  abortIncompleteMultipartUpload: upload,
}: Rule): string[] {
  const kept = former?.newerNoncurrentVersions
  return [
    ...(expiration?.days === undefined ? [] : [`files after ${inDays(expiration.days)}`]),
    ...(expiration?.expiredObjectDeleteMarker ? ['delete markers without a version'] : []),
    ...(former
      ? [`former versions after ${inDays(former.noncurrentDays)}${kept === undefined ? '' : `, except the newest ${kept}`}`]
      : []),
    ...(upload ? [`unfinished uploads after ${inDays(upload.daysAfterInitiation)}`] : []),
  ]
}
