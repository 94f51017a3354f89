import * as z from 'zod'
import type { TablesInsert } from '@/lib/database.types'
import { textOf, type Columns } from '@/lib/forms/form-spec'
import {
  ageBetween,
  choice,
  missingMessage,
  limits,
  optional,
  optionalEmail,
  required,
  requiredEmail,
  type Check,
} from '@/lib/forms/rules'

export const missing: Check = {
  title: 'Missing Information',
  description: 'Please fill in all required fields.',
  covers: 'missing',
}
export const invalidAge: Check = { title: 'Invalid Age', description: 'Age must be between 11 and 18.' }

const fields = z.object({
  nominationType: choice(['individual', 'group'], missingMessage('nomination type')),
  // Optional here. A rule below requires it, because the message depends on the type of the nomination.
  nomineeName: optional(),
  age: required('age').pipe(ageBetween(11, 18, invalidAge.description)),
  nomineeEmail: optionalEmail(),
  nomineePhone: optional(limits.phone),
  parentEmail: requiredEmail('e-mail of the parent or guardian'),
  parentPhone: optional(limits.phone),
  nominatorName: required('your name'),
  nominatorEmail: requiredEmail('your e-mail'),
  nominatorPhone: optional(limits.phone),
  relationship: optional(),
  achievement: required('key achievement', limits.answer),
  communityImpact: optional(limits.answer),
  whyDeserving: required('why they deserve the award', limits.answer),
})

/** Options of the rules that compare two fields. These rules are checked even if other fields are invalid. */
const always = { when: () => true, path: ['nomineeName'] }

/** Validation rules of a nomination. */
export const citizenSchema = fields
  .refine((entry) => isGroup(entry) || isNamed(entry), { ...always, message: missingMessage('name of the nominee') })
  .refine((entry) => !isGroup(entry) || isNamed(entry), { ...always, message: missingMessage('name of the group') })

/** Whether the nomination is for a group. */
export function isGroup({ nominationType }: Readonly<Record<string, unknown>>): boolean {
  return nominationType === 'group'
}

function isNamed({ nomineeName }: z.output<typeof fields>): boolean {
  return nomineeName.trim() !== ''
}

/** Label of the field for the nominee, which is a person or a group. */
export function nomineeTitle(group: boolean): string {
  return group ? 'The group' : 'The nominee'
}

export type CitizenValues = z.input<typeof citizenSchema>
export type CitizenEntry = z.output<typeof citizenSchema>

export const emptyCitizen: CitizenValues = {
  nominationType: 'individual',
  nomineeName: '',
  age: '',
  nomineeEmail: '',
  nomineePhone: '',
  parentEmail: '',
  parentPhone: '',
  nominatorName: '',
  nominatorEmail: '',
  nominatorPhone: '',
  relationship: '',
  achievement: '',
  communityImpact: '',
  whyDeserving: '',
}

/** Converts a nomination to a row of the table. */
export function citizenRecord(entry: CitizenEntry, paths: string[], key: string): TablesInsert<'young_citizen_nominations'> {
  return {
    nomination_type: entry.nominationType,
    nominee_name: entry.nomineeName,
    nominee_age: entry.age,
    nominee_email: entry.nomineeEmail || null,
    nominee_phone: entry.nomineePhone || null,
    parent_guardian_email: entry.parentEmail,
    parent_guardian_phone: entry.parentPhone || null,
    nominator_name: entry.nominatorName,
    nominator_email: entry.nominatorEmail,
    nominator_phone: entry.nominatorPhone || null,
    nominator_relationship: entry.relationship || null,
    key_achievement: entry.achievement,
    community_impact: entry.communityImpact || null,
    why_deserving: entry.whyDeserving,
    uploaded_files: paths,
    submission_key: key,
  }
}

/** Converts a row of the table to the answers of the form. */
export function citizenValues(columns: Columns): CitizenValues {
  return {
    nominationType: textOf(columns.nomination_type),
    nomineeName: textOf(columns.nominee_name),
    age: textOf(columns.nominee_age),
    nomineeEmail: textOf(columns.nominee_email),
    nomineePhone: textOf(columns.nominee_phone),
    parentEmail: textOf(columns.parent_guardian_email),
    parentPhone: textOf(columns.parent_guardian_phone),
    nominatorName: textOf(columns.nominator_name),
    nominatorEmail: textOf(columns.nominator_email),
    nominatorPhone: textOf(columns.nominator_phone),
    relationship: textOf(columns.nominator_relationship),
    achievement: textOf(columns.key_achievement),
    communityImpact: textOf(columns.community_impact),
    whyDeserving: textOf(columns.why_deserving),
  }
}
