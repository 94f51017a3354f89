import { describe, expect, it } from 'vitest'
import { actionsOf, emptyDraft, ruleOf } from './lifecycle'

describe('a lifecycle rule', () => {
  it('contains the actions whose fields are filled', () => {
    expect(ruleOf({ ...emptyDraft, prefix: 'tmp/', days: '30' })).toEqual({
      status: 'Enabled',
      filter: { prefix: 'tmp/' },
      expiration: { days: 30 },
    })
    expect(ruleOf({ ...emptyDraft, formerDays: '7', formerKept: '2', uploadDays: '1', isMarkerDeleted: true })).toEqual({
      status: 'Enabled',
      filter: {},
      expiration: { expiredObjectDeleteMarker: true },
      noncurrentVersionExpiration: { noncurrentDays: 7, newerNoncurrentVersions: 2 },
      abortIncompleteMultipartUpload: { daysAfterInitiation: 1 },
    })
  })

  it('does not exist without an action', () => {
    expect(ruleOf({ ...emptyDraft, prefix: 'tmp/' })).toBeUndefined()
    // The number of kept versions only limits an action. It is not an action itself.
    expect(ruleOf({ ...emptyDraft, formerKept: '2' })).toBeUndefined()
  })

  it('contains either days or the deletion of markers, because the server refuses both at once', () => {
    expect(ruleOf({ ...emptyDraft, days: '3', isMarkerDeleted: true })?.expiration).toEqual({ days: 3 })
  })

  it('is described in words', () => {
    expect(
      actionsOf({
        id: 'a',
        status: 'Enabled',
        filter: {},
        expiration: { days: 1 },
        noncurrentVersionExpiration: { noncurrentDays: 7, newerNoncurrentVersions: 2 },
        abortIncompleteMultipartUpload: { daysAfterInitiation: 3 },
      }),
    ).toEqual(['files after 1 day', 'former versions after 7 days, except the newest 2', 'unfinished uploads after 3 days'])
    expect(actionsOf({ id: 'b', status: 'Enabled', filter: {}, expiration: { expiredObjectDeleteMarker: true } })).toEqual([
      'delete markers without a version',
    ])
  })
})
