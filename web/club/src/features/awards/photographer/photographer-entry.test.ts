import { describe, expect, it } from 'vitest'
import { emptyPhotographer, photographerRecord, photographerSchema } from './photographer-entry'

const filled = {
  entrantName: 'Ailsa Sample',
  age: '13',
  preferredPronoun: 'she/her',
  organisation: 'Sample Academy',
  nominatorName: 'Morag Sample',
  nominatorEmail: 'morag@example.org',
  category: 'intermediate',
  workTitle: 'The pier',
  cameraModel: 'Old phone',
  auxiliaryLensUsed: 'no',
  imageEdited: 'yes',
  themeDescription: 'The pier in the rain.',
  publicityConsent: 'disagree',
  parentGuardianEmail: 'parent@example.org',
  parentGuardianPhone: '01475 000000',
}

function messages(values: typeof emptyPhotographer) {
  const issues = photographerSchema.safeParse(values).error?.issues ?? []
  return issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
}

describe('rules of a photographer entry', () => {
  it.each([
    ['entrantName', 'A', 'Entrant name must be at least 2 characters'],
    ['age', '10', 'Minimum age is 11'],
    ['age', '', 'Minimum age is 11'],
    ['age', '18', 'Maximum age is 17'],
    ['preferredPronoun', '', 'Please select preferred pronouns'],
    ['organisation', 'A', 'Please specify school, college, or organisation'],
    ['nominatorName', 'A', 'Nominator name must be at least 2 characters'],
    ['nominatorEmail', 'nobody', 'Please enter a valid email address'],
    ['category', 'junior', 'Please select a category'],
    ['cameraModel', ' a ', 'Please specify camera or device make and model'],
    ['auxiliaryLensUsed', '', 'Please specify if auxiliary lens or filters were used'],
    ['imageEdited', '', 'Please specify if the image has been edited with software'],
    ['themeDescription', 'Too short', 'Please provide a description of at least 10 characters'],
    ['publicityConsent', '', 'Please indicate your consent for publicity'],
    ['parentGuardianEmail', '', 'Please enter a valid email address'],
    ['parentGuardianPhone', '01475 000', 'Please enter a valid phone number'],
  ])('refuses %s %j', (field, value, message) => {
    expect(messages({ ...filled, [field]: value })).toEqual([`${field}: ${message}`])
  })

  it('has a message for every field of an empty form except the title, which is optional', () => {
    const fields = messages(emptyPhotographer).map((line) => line.split(':')[0])
    expect(new Set(fields)).toEqual(new Set(Object.keys(emptyPhotographer).filter((field) => field !== 'workTitle')))
  })

  it('treats an untouched group of radio buttons, which is null, as unanswered', () => {
    const untouched = { ...filled, category: null } as unknown as typeof emptyPhotographer
    expect(messages(untouched)).toEqual(['category: Please select a category'])
  })
})

it('fills the record: e-mail and phone of the parent, the organisation as the school, all else empty', () => {
  expect(photographerRecord(photographerSchema.parse(filled), ['p'], 'key')).toEqual({
    entrant_name: 'Ailsa Sample',
    age: 13,
    email: 'parent@example.org',
    phone: '01475 000000',
    school: 'Sample Academy',
    teacher_name: 'Morag Sample',
    teacher_email: 'morag@example.org',
    teacher_phone: '',
    parent_guardian_name: '',
    parent_guardian_email: 'parent@example.org',
    parent_guardian_phone: '01475 000000',
    category: 'intermediate',
    photo_title: 'The pier',
    photo_description: 'The pier in the rain.',
    location_taken: '',
    camera_equipment: 'Old phone',
    preferred_pronoun: 'she/her',
    auxiliary_lens_used: 'no',
    image_edited: 'yes',
    publicity_consent: 'disagree',
    uploaded_files: ['p'],
    submission_key: 'key',
  })
})
