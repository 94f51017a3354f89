import { formatMoment } from '@/lib/dates'
import { emailLink, phoneLink } from '../../shared/contact-links'
import type { Entry } from '../entry'
import type { Fact } from './Section'

interface TeacherColumns {
  teacher_name: string | null
  teacher_email: string | null
  teacher_phone: string | null
  teacher_position?: string | null
}

interface ParentColumns {
  parent_guardian_name?: string | null
  parent_guardian_email: string | null
  parent_guardian_phone: string | null
}

interface EntrantColumns {
  entrant_name: string
  age: number
  category: string
  email: string | null
  phone: string | null
  preferred_pronoun?: string | null
}

export function entrantFacts(row: EntrantColumns): Fact[] {
  return [
    ['Name', row.entrant_name],
    ['Age', row.age],
    ...optionalFact('Pronoun', row.preferred_pronoun),
    ['Category', row.category],
    ['Email', emailLink(row.email)],
    ['Phone', phoneLink(row.phone)],
  ]
}

export function teacherFacts(row: TeacherColumns): Fact[] {
  return [
    ['Name', row.teacher_name],
    ...optionalFact('Position', row.teacher_position),
    ['Email', emailLink(row.teacher_email)],
    ['Phone', phoneLink(row.teacher_phone)],
  ]
}

export function parentFacts(row: ParentColumns): Fact[] {
  return [
    ...optionalFact('Name', row.parent_guardian_name),
    ['Email', emailLink(row.parent_guardian_email)],
    ['Phone', phoneLink(row.parent_guardian_phone)],
  ]
}

/** The school (from the club's list, or otherwise as the entrant typed it) and the time of the entry. */
export function recordFacts(entry: Entry): Fact[] {
  const written = 'school' in entry.row ? entry.row.school : null
  return [
    ['School', entry.school?.name ?? written],
    ['Submitted', formatMoment(entry.createdAt)],
  ]
}

/** A fact that only some awards have. It is left out if the column does not exist or is empty. */
function optionalFact(label: string, value: string | null | undefined): Fact[] {
  return value ? [[label, value]] : []
}
