import { literal, qualified } from './sql-text'

/**
 * The statements that rename values of an enum and add one. Empty if nothing changes.
 * @param names the new names of the values, in the order of the values
 * @param before current name of the value before which the new value is inserted; empty to insert it at the end
 */
export function enumSql(
  { schema, name }: { schema: string; name: string },
  values: readonly string[],
  names: readonly string[],
  added: string,
  before: string,
): string {
  const type = qualified(schema, name)
  const place = before === '' ? '' : ` before ${literal(before)}`
  return [
    added !== '' && `alter type ${type} add value ${literal(added)}${place};`,
    ...values.map((value, index) => {
      const next = names[index] ?? value
      return next !== value && `alter type ${type} rename value ${literal(value)} to ${literal(next)};`
    }),
  ]
    .filter((statement) => statement !== false)
    .join('\n')
}
