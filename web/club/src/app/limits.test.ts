/**
 * Compares the maximum lengths in the award forms with those of the database tables: the database must accept every answer that a form accepts, and a
 * form must accept every answer that fits into its column.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { filesForm, filesRecord } from '@/features/uploads/files-form'
import type { FormSpec, FormValues } from '@/lib/forms/form-spec'
import { maxFiles } from '@/lib/upload/rules'
import { artistForm } from '@/features/awards/artist/artist-form'
import { citizenForm } from '@/features/awards/citizen/citizen-form'
import { musicianForm } from '@/features/awards/musician/musician-form'
import { photographerForm } from '@/features/awards/photographer/photographer-form'

const migrations = resolve(fileURLToPath(import.meta.url), '../../../../../supabase-config/migrations')
const sql = readdirSync(migrations)
  .toSorted()
  .map((name) => readFileSync(join(migrations, name), 'utf8'))
  .join('\n')
/** Returns the `create table` and `alter table` statements of a table, in the order of the migrations. */
const definitions = (table: string): string[] =>
  sql.match(new RegExp(`^(create|alter) table public\\.${table}\\b[^;]*;`, 'gm')) ?? []

/** The maximum length of each text column. */
function columnLimits(table: string): Map<string, number> {
  const checks = definitions(table).flatMap((text) => [
    ...text.matchAll(/check \([^\n]*?char_length\((?:array_to_string\()?(\w+)[^\n]*?\) <= (\d+)/g),
  ])
  return new Map(checks.map(([, column = '', most]) => [column, Number(most)]))
}

/** The maximum number of files. */
function fileLimit(table: string): number {
  const found = /check \(cardinality\(uploaded_files\) (?:<= |between 1 and )(\d+)\)/.exec(definitions(table).join('\n'))
  return Number(found?.[1])
}

/** Returns a text of the given length. If the field requires an e-mail address, the text is one. */
const longText = (length: number, isEmail: boolean) => (isEmail ? `${'a'.repeat(length - 10)}@sample.uk` : 'a'.repeat(length))

interface Limited {
  form: FormSpec<FormValues, never>
  table: string
  record: (entry: never) => object
  filled: FormValues
}

/** @returns whether the form accepts a text of that length as the answer in this field */
function accepts({ form, filled }: Limited, field: string, length: number): boolean {
  return form.schema.safeParse({ ...filled, [field]: longText(length, /email/i.test(field)) }).success
}

/** @returns the length of the longest text that the form accepts in this field */
function longest(limited: Limited, field: string): number {
  const candidates = [50, 200, 255, 500, 600, 2000, 5000, 10_000, 20_000]
  return candidates.findLast((length) => accepts(limited, field, length)) ?? 0
}

const address = 'a@example.org'
/** Removes the types of a form, so that its answers can be accessed by name. */
const loosely = (form: unknown) => form as FormSpec<FormValues, never>
const ofColumns = (form: FormSpec<FormValues, never>) => (entry: never) => form.columns?.of(entry, [], 'key') ?? {}
const award = (form: unknown, table: string, answers: FormValues): Limited => ({
  form: loosely(form),
  table,
  record: ofColumns(loosely(form)),
  filled: { ...loosely(form).empty, ...answers },
})

const forms: Limited[] = [
  award(citizenForm, 'young_citizen_nominations', {
    nomineeName: 'A',
    age: '12',
    parentEmail: address,
    nominatorName: 'N',
    nominatorEmail: address,
    achievement: 'X',
    whyDeserving: 'Y',
  }),
  award(musicianForm, 'young_musician_entries', {
    entrantName: 'A',
    age: '12',
    schoolName: 'S',
    performanceType: 'instrumental',
    instrument: 'Fiddle',
    selection1: 'One',
    parentEmail: address,
    parentTel: '1',
    signature: 'P',
  }),
  award(photographerForm, 'young_photographer_entries', {
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
    themeDescription: 'A wood full of birds',
    publicityConsent: 'agree',
    parentGuardianEmail: address,
    parentGuardianPhone: '0147500000',
  }),
  award(artistForm, 'young_artist_entries', {
    entrantName: 'A',
    nomineeName: 'B',
    nomineeEmail: address,
    age: '9',
    pronoun: 'he/him',
    organisation: 'S',
    category: 'junior',
    themeDescription: 'A wood full of birds',
    parentGuardianName: 'P',
    parentGuardianEmail: address,
  }),
  {
    form: loosely(filesForm),
    table: 'extra_files',
    record: (entry) => filesRecord(entry, ['a'], 'key'),
    filled: { entrantName: 'A', organisation: 'S', additionalInfo: '' },
  },
]

/** Fields without typed text: choices, and numbers, which are limited by a range of values. */
const untyped =
  /^(age|category|performanceType|nominationType|preferredPronoun|pronoun|.*Consent|consentPublicity|auxiliaryLensUsed|imageEdited)$/
/** Fields that share one database column with other fields. */
const joined = /^(selection[123]|allergies|accessibility)$/

describe.each(forms)('the form of $table', (limited) => {
  const { form, table, record, filled } = limited
  const limits = columnLimits(table)
  const typed = Object.keys(form.empty).filter((field) => !untyped.test(field))

  it('has text fields, and its table has length limits', () => {
    expect(typed.length).toBeGreaterThan(2)
    expect(limits.size).toBeGreaterThan(1)
  })

  it.each(typed)('accepts what the column takes, and no more: %s', (field) => {
    const most = longest(limited, field)
    expect(most).toBeGreaterThan(0)
    expect(accepts(limited, field, most + 1)).toBe(false)
    const text = longText(most, /email/i.test(field))
    const columns = Object.entries(record(form.schema.parse({ ...filled, [field]: text }))) as [string, unknown][]
    const holding = columns.flatMap(([column, value]) => (typeof value === 'string' && value.includes(text) ? [column] : []))
    expect(holding).not.toEqual([])
    for (const column of holding) {
      if (joined.test(field)) expect(limits.get(column)).toBeGreaterThan(most)
      else expect([column, limits.get(column)]).toEqual([column, most])
    }
  })

  it('fills no column beyond the table’s limit, even with every answer at its longest', () => {
    const texts = typed.map((field) => [field, longText(longest(limited, field), /email/i.test(field))])
    const row = record(form.schema.parse({ ...filled, ...Object.fromEntries(texts) }))
    for (const [column, value] of Object.entries(row) as [string, unknown][]) {
      const most = limits.get(column)
      const length = Array.isArray(value) ? value.join('').length : typeof value === 'string' ? value.length : 0
      if (most !== undefined) expect(length, column).toBeLessThanOrEqual(most)
    }
  })

  it('accepts as many files as the form sends', () => {
    expect(fileLimit(table)).toBe(maxFiles)
  })
})
