import { describe, expect, it } from 'vitest'
import { artistForm } from './artist/artist-form'
import { citizenForm } from './citizen/citizen-form'
import { musicianForm } from './musician/musician-form'
import { photographerForm } from './photographer/photographer-form'

const address = 'a@example.org'

describe('an entry that is loaded for correction equals the typed answers', () => {
  it('artist', () => {
    const typed = {
      ...artistForm.empty,
      entrantName: 'A',
      nomineeName: 'B',
      nomineeEmail: address,
      age: '9',
      pronoun: 'he/him',
      organisation: 'S',
      category: 'junior',
      workTitle: 'W',
      themeDescription: 'A wood full of birds',
      parentGuardianName: 'P',
      parentGuardianEmail: address,
      publicityConsent: 'agree',
    }
    expect(artistForm.columns?.toValues({ ...artistForm.columns.of(artistForm.schema.parse(typed), [], 'k') })).toEqual(typed)
  })

  it('citizen', () => {
    const typed = {
      ...citizenForm.empty,
      nomineeName: 'A',
      age: '12',
      parentEmail: address,
      nominatorName: 'N',
      nominatorEmail: address,
      achievement: 'X',
      whyDeserving: 'Y',
      communityImpact: '',
    }
    expect(citizenForm.columns?.toValues({ ...citizenForm.columns.of(citizenForm.schema.parse(typed), [], 'k') })).toEqual(
      typed,
    )
  })

  it('photographer', () => {
    const typed = {
      ...photographerForm.empty,
      entrantName: 'An',
      age: '12',
      preferredPronoun: 'she/her',
      organisation: 'Sc',
      nominatorName: 'No',
      nominatorEmail: address,
      category: 'intermediate',
      cameraModel: 'Ca',
      auxiliaryLensUsed: 'no',
      imageEdited: 'yes',
      workTitle: '',
      themeDescription: 'A wood full of birds',
      publicityConsent: 'disagree',
      parentGuardianEmail: address,
      parentGuardianPhone: '0147500000',
    }
    expect(
      photographerForm.columns?.toValues({ ...photographerForm.columns.of(photographerForm.schema.parse(typed), [], 'k') }),
    ).toEqual(typed)
  })

  it.each([
    ['nuts', 'step-free\nstage'],
    ['nuts', ''],
    ['', 'step-free'],
    ['', ''],
  ])('musician, with requirements "%s" and "%s"', (allergies, accessibility) => {
    const typed = {
      ...musicianForm.empty,
      entrantName: 'A',
      age: '12',
      schoolName: 'S',
      performanceType: 'vocal',
      instrument: 'Alto',
      selection1: 'One',
      selection2: 'Two',
      parentEmail: address,
      parentTel: '1',
      signature: 'P',
      allergies,
      accessibility,
      consentPublicity: 'agree',
    }
    expect(musicianForm.columns?.toValues({ ...musicianForm.columns.of(musicianForm.schema.parse(typed), [], 'k') })).toEqual(
      typed,
    )
  })
})
