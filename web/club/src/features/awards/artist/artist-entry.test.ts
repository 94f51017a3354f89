import { describe, expect, it } from 'vitest'
import { artistRecord, artistSchema, emptyArtist } from './artist-entry'

const filled = {
  ...emptyArtist,
  entrantName: 'Ailsa Sample',
  nomineeName: 'Rory Sample',
  nomineeEmail: 'rory@example.org',
  age: '10',
  pronoun: 'they/them',
  organisation: 'private entry',
  category: 'junior',
  themeDescription: 'A wood full of birds.',
  parentGuardianName: 'Morag Sample',
  parentGuardianEmail: 'morag@example.org',
}

function messages(values: typeof emptyArtist) {
  const issues = artistSchema.safeParse(values).error?.issues ?? []
  return issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
}

describe('rules of an artist entry', () => {
  it.each([
    ['entrantName', ' ', 'Entrant name is required'],
    ['nomineeName', '', 'Nominee name is required'],
    ['organisation', '', 'Please specify school/college/organisation or private entry'],
    ['parentGuardianName', '', 'Parent/Guardian name is required'],
    ['nomineeEmail', 'nobody', 'Please enter a valid email address'],
    ['parentGuardianEmail', '', 'Please enter a valid email address'],
    ['age', '4', 'Age must be between 5 and 17'],
    ['age', '18', 'Age must be between 5 and 17'],
    ['pronoun', '', 'Please select preferred pronouns'],
    ['category', '', 'Please select a category'],
    ['themeDescription', 'Birds.', 'Please provide at least a few sentences describing the relationship to the theme'],
  ])('refuses %s %j', (field, value, message) => {
    expect(messages({ ...filled, [field]: value })).toEqual([`${field}: ${message}`])
  })

  it.each(['', null, 'agree', 'disagree'])('takes %j as an answer to the question of publicity', (publicityConsent) => {
    expect(messages({ ...filled, publicityConsent })).toEqual([])
  })
})

it('fills the record: the nominee’s e-mail; fields that the form does not contain are empty', () => {
  expect(artistRecord(artistSchema.parse(filled), [], 'key')).toEqual({
    entrant_name: 'Ailsa Sample',
    age: 10,
    nominee_name: 'Rory Sample',
    email: 'rory@example.org',
    school: 'private entry',
    teacher_name: '',
    teacher_email: '',
    teacher_phone: '',
    parent_guardian_name: 'Morag Sample',
    parent_guardian_email: 'morag@example.org',
    parent_guardian_phone: '',
    category: 'junior',
    artwork_title: '',
    medium: '',
    artwork_description: 'A wood full of birds.',
    inspiration: '',
    preferred_pronoun: 'they/them',
    publicity_consent: null,
    uploaded_files: [],
    submission_key: 'key',
  })
})
