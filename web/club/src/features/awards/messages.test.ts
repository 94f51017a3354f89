import { describe, expect, it } from 'vitest'
import { artistForm } from './artist/artist-form'
import { citizenForm } from './citizen/citizen-form'
import { musicianForm } from './musician/musician-form'
import { photographerForm } from './photographer/photographer-form'

describe('messages of the award forms when an entry cannot be sent', () => {
  it.each([
    [citizenForm.messages, 'Failed to submit nomination. Please try again.'],
    [musicianForm.messages, 'Failed to submit entry. Please try again.'],
    [photographerForm.messages, 'There was an error submitting your entry. Please try again.'],
    [artistForm.messages, 'There was an error submitting your entry. Please try again.'],
  ])('%o', ({ sendFailed }, words) => {
    expect(sendFailed.description).toBe(words)
  })
})
