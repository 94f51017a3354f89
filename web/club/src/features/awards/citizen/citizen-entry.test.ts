import { describe, expect, it } from 'vitest'
import { firstFailed } from '@/lib/forms/rules'
import { citizenRecord, citizenSchema, emptyCitizen, invalidAge, missing } from './citizen-entry'

const filled = {
  ...emptyCitizen,
  nomineeName: 'Ailsa Sample',
  age: '17',
  parentEmail: 'parent@example.org',
  nominatorName: 'Morag Sample',
  nominatorEmail: 'morag@example.org',
  achievement: 'Ran the beach clean.\nEvery month.',
  whyDeserving: 'Nobody asked her to.',
}

function failures(values: typeof emptyCitizen) {
  const issues = citizenSchema.safeParse(values).error?.issues ?? []
  return {
    fields: issues.map((issue) => issue.path.join('.')),
    toast: firstFailed(
      [missing, invalidAge],
      issues.map((issue) => issue.message),
    ),
  }
}

describe('rules of a nomination', () => {
  it.each(['nomineeName', 'age', 'parentEmail', 'nominatorName', 'nominatorEmail', 'achievement', 'whyDeserving'])(
    'requires %s',
    (field) => {
      const { fields, toast } = failures({ ...filled, [field]: '  ' })
      expect(fields[0]).toBe(field)
      expect(toast).toMatchObject({ title: 'Missing Information', description: 'Please fill in all required fields.' })
    },
  )

  it.each([
    ['individual', 'Name of the nominee is missing'],
    ['group', 'Name of the group is missing'],
  ])('names what is missing: %s', (nominationType, message) => {
    const issues = citizenSchema.safeParse({ ...filled, nominationType, nomineeName: ' ' }).error?.issues ?? []
    expect(issues.map((issue) => issue.message)).toEqual([message])
  })

  it.each(['nomineeEmail', 'nomineePhone', 'parentPhone', 'nominatorPhone', 'relationship', 'communityImpact'])(
    'does not require %s',
    (field) => {
      expect(failures({ ...filled, [field]: '' }).fields).toEqual([])
    },
  )

  it.each(['10', '19', '24', 'x', '-12', '12.5'])('refuses the age %s', (age) => {
    expect(failures({ ...filled, age })).toEqual({
      fields: ['age'],
      toast: { title: 'Invalid Age', description: 'Age must be between 11 and 18.' },
    })
  })

  it.each(['11', '18'])('accepts the age %s', (age) => {
    expect(failures({ ...filled, age }).fields).toEqual([])
  })

  it('reports missing fields before the age', () => {
    expect(failures({ ...filled, age: '30', nominatorName: '' }).toast).toEqual(missing)
  })

  it('refuses invalid addresses', () => {
    expect(failures({ ...filled, nomineeEmail: 'nobody' }).fields).toEqual(['nomineeEmail'])
    expect(failures({ ...filled, parentEmail: 'nobody' }).fields).toEqual(['parentEmail'])
  })
})

describe('record of a nomination', () => {
  const entry = citizenSchema.parse({ ...filled, nominationType: 'group', communityImpact: '<b>much</b> & more' })

  it('fills every column', () => {
    expect(citizenRecord(entry, ['young-citizen/ailsa-sample/1-a.png'], 'key')).toEqual({
      nomination_type: 'group',
      nominee_name: 'Ailsa Sample',
      nominee_age: 17,
      nominee_email: null,
      nominee_phone: null,
      parent_guardian_email: 'parent@example.org',
      parent_guardian_phone: null,
      nominator_name: 'Morag Sample',
      nominator_email: 'morag@example.org',
      nominator_phone: null,
      nominator_relationship: null,
      key_achievement: 'Ran the beach clean.\nEvery month.',
      community_impact: '<b>much</b> & more',
      why_deserving: 'Nobody asked her to.',
      uploaded_files: ['young-citizen/ailsa-sample/1-a.png'],
      submission_key: 'key',
    })
  })
})
