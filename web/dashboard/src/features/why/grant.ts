import type { SqlChange } from '@/components/ReviewSql'
import { identifier, qualified } from '@/lib/sql-text'
import type { Explanation, Lacks } from './contract'

const lacks = (explanation: Explanation): explanation is Explanation & Lacks =>
  ['schema', 'privilege', 'columns'].includes(explanation.cause ?? '')

/**
 * Returns the change that grants the missing privilege to the role. `undefined` if the cause is not a missing privilege.
 * @param place the schema and name of the relation
 */
export function grantOf(explanation: Explanation, place: { schema: string; name: string }): SqlChange | undefined {
  if (!lacks(explanation)) return undefined
  const { role } = explanation
  const what =
    explanation.cause === 'schema'
      ? `usage on schema ${identifier(explanation.schema)}`
      : `${explanation.privilege.toLowerCase()}${
          explanation.cause === 'columns' ? ` (${explanation.columns.map(identifier).join(', ')})` : ''
        } on ${qualified(place.schema, place.name)}`
  return {
    title: `Grant ${what}`,
    sql: `grant ${what} to ${identifier(role)};`,
    migration: `grant_${place.name}_${role}`
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '_')
      .slice(0, 60),
    done: `${role} has the privilege`,
  }
}
