import '@/lib/strict-zod'
import * as z from 'zod'
import type { RecordField } from './record-field'

/** A record in a form: the text of each column. */
export type FieldValues = Record<string, string>
/** The columns in the form in which they are saved. */
export type FieldInput = Record<string, string | number | boolean | null>

function rule({ label, kind, min = 0, max, isRequired }: RecordField): z.ZodType<FieldInput[string], string> {
  if (kind === 'yes-no') return z.string().transform((value) => value === 'yes')
  if (kind === 'number') {
    const message = `${label} must be between ${min} and ${max}`
    return z
      .string()
      .trim()
      .regex(/^\d{1,6}$/, message)
      .transform(Number)
      .refine((number) => number >= min && number <= max, message)
  }
  return z
    .string()
    .trim()
    .max(max, `At most ${max} characters`)
    .refine((value) => !isRequired || value !== '', `${label} is missing`)
    .refine((value) => kind !== 'email' || value === '' || z.email().safeParse(value).success, 'Invalid email')
    .transform((value) => (value === '' ? null : value))
}

/** Validation rules of fields, which the database checks too. An empty answer is stored as null. */
export function fieldsSchema(fields: readonly RecordField[]): z.ZodType<FieldInput, FieldValues> {
  const shape = Object.fromEntries(fields.map((field) => [field.name, rule(field)]))
  return z.object(shape)
}

/** A row as form values. A choice is compared without case; a value that is not in the list is kept. */
export function toValues(fields: readonly RecordField[], row: Readonly<Record<string, unknown>>): FieldValues {
  const values = fields.map(({ name, kind, options }): [string, string] => {
    const value = row[name]
    if (kind === 'yes-no') return [name, value === true ? 'yes' : 'no']
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
    return [name, options?.find((option) => option === text.toLowerCase()) ?? text]
  })
  return Object.fromEntries(values)
}

/** Only the changed columns: unchanged ones are not sent, so that their stored values stay exactly the same. */
export function changedColumns(input: FieldInput, before: FieldValues, after: FieldValues): FieldInput {
  return Object.fromEntries(Object.entries(input).filter(([name]) => before[name] !== after[name]))
}
