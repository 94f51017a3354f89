import { describe, expect, it } from 'vitest'
import { firstFailed } from '@/lib/forms/rules'
import { emptyMusician, invalidAge, missing, missingMusic, musicianRecord, musicianSchema } from './musician-entry'

const checks = [missingMusic, invalidAge, missing]
const filled = {
  ...emptyMusician,
  entrantName: 'Ailsa Sample',
  age: '14',
  schoolName: 'Sample High School',
  performanceType: 'instrumental',
  instrument: 'Fiddle',
  selection1: 'Air by A. Composer',
  selection3: ' Reel by B. Composer ',
  parentEmail: 'parent@example.org',
  parentTel: '01475 000000',
  signature: 'P. Sample',
}

function failures(values: typeof emptyMusician) {
  const result = musicianSchema.safeParse(values)
  const messages = result.success ? [] : result.error.issues.map((issue) => issue.message)
  return {
    fields: result.success ? [] : result.error.issues.map((issue) => issue.path.join('.')),
    toast: firstFailed(checks, messages),
  }
}

describe('rules of a musician entry', () => {
  it('reports every wrong field at once, and the music first', () => {
    const { fields, toast } = failures(emptyMusician)
    expect(new Set(fields)).toEqual(
      new Set(['selection1', 'entrantName', 'age', 'schoolName', 'performanceType', 'parentEmail', 'parentTel', 'signature']),
    )
    expect(toast).toEqual(missingMusic)
  })

  it('reports the age before missing fields', () => {
    expect(failures({ ...emptyMusician, selection2: 'A piece', age: '10' }).toast).toEqual(invalidAge)
    expect(failures({ ...emptyMusician, selection2: 'A piece', age: '' }).toast).toEqual(invalidAge)
    expect(failures({ ...emptyMusician, selection2: 'A piece', age: '11' }).toast).toEqual(missing)
  })

  it.each(['10', '19', '11.5', 'eleven', ''])('refuses the age %j', (age) => {
    expect(failures({ ...filled, age }).fields).toEqual(['age'])
  })

  it.each(['11', '18', ' 14 '])('accepts the age %j', (age) => {
    expect(failures({ ...filled, age }).fields).toEqual([])
  })

  it('requires an instrument of a player only', () => {
    expect(failures({ ...filled, instrument: ' ' })).toEqual({ fields: ['instrument'], toast: missing })
    expect(failures({ ...filled, instrument: '', performanceType: 'vocal' }).fields).toEqual([])
  })

  it('does not accept blank lines as selections of music', () => {
    expect(failures({ ...filled, selection1: '  ', selection3: '' }).toast).toEqual(missingMusic)
  })

  it('leaves the consent to publicity open, as null or empty', () => {
    expect(failures({ ...filled, consentPublicity: null }).fields).toEqual([])
    expect(failures({ ...filled, consentPublicity: '' }).fields).toEqual([])
  })
})

describe('record of a musician entry', () => {
  const entry = musicianSchema.parse({ ...filled, allergies: 'Nuts', accessibility: 'Ramp', accompanist: 'C. Sample' })

  it('fills every column with the form’s meaning', () => {
    expect(musicianRecord(entry, ['musician/ailsa-sample/1-a.mp3'], 'key')).toEqual({
      entrant_name: 'Ailsa Sample',
      age: 14,
      school: 'Sample High School',
      category: 'instrumental',
      instrument: 'Fiddle',
      email: 'parent@example.org',
      phone: '01475 000000',
      teacher_name: null,
      teacher_email: null,
      teacher_phone: '',
      parent_guardian_name: '',
      parent_guardian_email: 'parent@example.org',
      parent_guardian_phone: '01475 000000',
      piece_title: 'Air by A. Composer; Reel by B. Composer',
      composer: '',
      piece_duration: '',
      music_selections: ['Air by A. Composer', 'Reel by B. Composer'],
      accompanist_required: true,
      accompanist_name: 'C. Sample',
      special_requirements: 'Allergies: Nuts\nAccessibility: Ramp',
      publicity_consent: null,
      signature: 'P. Sample',
      uploaded_files: ['musician/ailsa-sample/1-a.mp3'],
      submission_key: 'key',
    })
  })
})
