import { literal, qualified } from './sql-text'

/**
 * The statements that give an enum other names and one value more; empty where nothing changes.
 * @param names what the values are to be called, in their order
 * @param before a value as it is called now, before which the new one stands; empty: at the end
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
