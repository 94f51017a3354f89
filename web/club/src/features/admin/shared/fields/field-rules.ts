import '@/lib/strict-zod'
import * as z from 'zod'
import type { RecordField } from './record-field'

/** The values of a form: for each column of the record, the text of its field. */
export type FieldValues = Record<string, string>
/** The columns as they are sent to the database. */
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

/** Validation rules of the fields. The database checks the same rules. An empty answer is stored as null. */
export function fieldsSchema(fields: readonly RecordField[]): z.ZodType<FieldInput, FieldValues> {
  const shape = Object.fromEntries(fields.map((field) => [field.name, rule(field)]))
  return z.object(shape)
}

/** Converts a row to form values. A choice is found regardless of upper and lower case. A value that is none of the choices is kept. */
export function toValues(fields: readonly RecordField[], row: Readonly<Record<string, unknown>>): FieldValues {
  const values = fields.map(({ name, kind, options }): [string, string] => {
    const value = row[name]
    if (kind === 'yes-no') return [name, value === true ? 'yes' : 'no']
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
    return [name, options?.find((option) => option === text.toLowerCase()) ?? text]
  })
  return Object.fromEntries(values)
}

/** Returns only the columns that have changed. The others are not sent, so that their stored values do not change at all. */
export function changedColumns(input: FieldInput, before: FieldValues, after: FieldValues): FieldInput {
  return Object.fromEntries(Object.entries(input).filter(([name]) => before[name] !== after[name]))
}
