import { expect, it } from 'vitest'
import { dollarQuoted, migrationName, unqualified } from './sql-text'

it.each([
  ['a public.mood, b public.mood[]', 'public', 'a mood, b mood[]'],
  ['a republic.mood, b auth.level', 'public', 'a republic.mood, b auth.level'],
  ['a "A.b"."C", b "A.b".c', 'A.b', 'a "C", b c'],
])('leaves out the schema of types: %s', (text, schema, expected) => expect(unqualified(text, schema)).toBe(expected))

it('quotes a text with a tag that the text does not contain', () => {
  expect(dollarQuoted(' a ')).toBe('$function$\na\n$function$')
  expect(dollarQuoted('$function$')).toBe('$function1$\n$function$\n$function1$')
})

it('names a migration', () => {
  expect(migrationName('drop index', '"Ä"; x')).toBe('drop_index_x')
  expect(migrationName('"a"')).toMatch(/^a/)
  expect(migrationName('x'.repeat(100))).toHaveLength(60)
})
