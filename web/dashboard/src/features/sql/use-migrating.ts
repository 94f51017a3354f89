import { useState } from 'react'
import { keepsByDefault, useMigrationFolder } from '@/lib/migrations'
import { schemaChange, type SchemaChange } from '@/lib/schema-change'
import type { RunOptions } from './model'

export interface Migrating {
  /** Whether the switch is shown. It is shown if the project has migrations and the script may change the schema. */
  isOffered: boolean
  isOn: boolean
  setOn: (isOn: boolean) => void
  /** The change of the schema that a script makes, if it can be stored as a migration. */
  changeOf: (sql: string) => SchemaChange | undefined
}

/**
 * State of the switch: whether a script that changes the schema is first shown for review as a migration. In a project with migrations, this is on by
 * default.
 */
export function useMigrating({ as, mayWrite }: RunOptions): Migrating {
  const folder = useMigrationFolder()
  const [chosen, setOn] = useState<boolean>()
  const isOffered = mayWrite && 'role' in as && as.role === 'postgres' && folder.data?.hasFiles === true
  const isOn = isOffered && (chosen ?? (folder.data !== undefined && keepsByDefault(folder.data)))
  return { isOffered, isOn, setOn, changeOf: (sql) => (isOn ? schemaChange(sql) : undefined) }
}
