import type { Award } from '../../shared/award'
import type { RecordField } from '../../shared/fields/record-field'
import { limits } from '../../shared/rules'

/** Maximum length of a long answer. The database has the same limit. */
const longMax = 10_000
const descriptionMax = 5000

const text = (name: string, label: string, max: number = limits.name): RecordField => ({ name, label, kind: 'text', max })
const long = (name: string, label: string, max: number): RecordField => ({ name, label, kind: 'long', max })
const phone = (name: string, label: string): RecordField => text(name, label, limits.phone)
const email = (name: string, label: string): RecordField => ({ name, label, kind: 'email', max: limits.email })
const age = (name: string, min: number, max: number): RecordField => ({
  name,
  label: 'Age',
  kind: 'number',
  min,
  max,
  isRequired: true,
})
const choice = (name: string, label: string, options: readonly string[]): RecordField => ({
  name,
  label,
  kind: 'choice',
  max: 50,
  options,
})
const required = (field: RecordField): RecordField => ({ ...field, isRequired: true })

const parent = [
  text('parent_guardian_name', 'Parent or guardian: name'),
  required(email('parent_guardian_email', 'Parent or guardian: email')),
  phone('parent_guardian_phone', 'Parent or guardian: phone'),
]
const teacher = [
  text('teacher_name', 'Teacher: name'),
  email('teacher_email', 'Teacher: email'),
  phone('teacher_phone', 'Teacher: phone'),
]
const reach = [email('email', 'Email'), phone('phone', 'Phone')]
const consent = choice('publicity_consent', 'Publicity', ['agree', 'disagree'])
const written = text('school', 'School as the entrant wrote it')

const school: RecordField = { name: 'school_id', label: 'School', kind: 'id', max: 36 }

/** For each award, the fields of an entry that can be corrected, in the order in which the details show them. */
export const entryFields: Record<Award, readonly RecordField[]> = {
  citizen: [
    school,
    required(choice('nomination_type', 'Type', ['individual', 'group'])),
    required(text('nominee_name', 'Nominee: name')),
    age('nominee_age', 11, 18),
    email('nominee_email', 'Nominee: email'),
    phone('nominee_phone', 'Nominee: phone'),
    required(text('nominator_name', 'Nominator: name')),
    text('nominator_relationship', 'Nominator: relationship'),
    required(email('nominator_email', 'Nominator: email')),
    phone('nominator_phone', 'Nominator: phone'),
    ...parent.slice(1),
    required(long('key_achievement', 'Key achievement', longMax)),
    long('community_impact', 'Community impact', longMax),
    required(long('why_deserving', 'Why deserving', longMax)),
    consent,
  ],
  musician: [
    school,
    required(text('entrant_name', 'Name')),
    age('age', 11, 18),
    ...reach,
    written,
    required(choice('category', 'Category', ['vocal', 'instrumental'])),
    text('instrument', 'Instrument or voice type'),
    text('piece_title', 'Piece', 2000),
    text('composer', 'Composer', 500),
    text('piece_duration', 'Duration', 100),
    { name: 'accompanist_required', label: 'Accompanist required', kind: 'yes-no', max: 3 },
    text('accompanist_name', 'Accompanist: name'),
    ...teacher,
    ...parent,
    long('special_requirements', 'Special requirements', descriptionMax),
    consent,
  ],
  photographer: [
    school,
    required(text('entrant_name', 'Name')),
    age('age', 11, 17),
    text('preferred_pronoun', 'Pronoun', 50),
    ...reach,
    written,
    required(choice('category', 'Category', ['intermediate', 'senior'])),
    text('photo_title', 'Photo title'),
    long('photo_description', 'Description', descriptionMax),
    text('location_taken', 'Location taken'),
    text('camera_equipment', 'Camera equipment', 500),
    ...teacher,
    ...parent,
    consent,
  ],
  artist: [
    school,
    required(text('entrant_name', 'Name')),
    age('age', 5, 17),
    text('preferred_pronoun', 'Pronoun', 50),
    ...reach,
    written,
    required(choice('category', 'Category', ['junior', 'intermediate', 'senior'])),
    text('artwork_title', 'Artwork title'),
    text('medium', 'Medium'),
    long('artwork_description', 'Description', descriptionMax),
    long('inspiration', 'Inspiration', descriptionMax),
    ...teacher,
    ...parent,
    consent,
  ],
}
