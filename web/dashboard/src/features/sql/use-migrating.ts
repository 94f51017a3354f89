import { useState } from 'react'
import { keepsByDefault, useMigrationFolder } from '@/lib/migrations'
import { schemaChange, type SchemaChange } from '@/lib/schema-change'
import type { RunOptions } from './model'

export interface Migrating {
  /** Whether the switch is shown: the project has migrations, and the script may change the schema. */
  isOffered: boolean
  isOn: boolean
  setOn: (isOn: boolean) => void
  /** What a script changes of the schema, if it becomes a migration. */
  changeOf: (sql: string) => SchemaChange | undefined
}

/** Whether a script that changes the schema is reviewed as a migration before it runs: the default of a project that has migrations. */
export function useMigrating({ as, mayWrite }: RunOptions): Migrating {
  const folder = useMigrationFolder()
  const [chosen, setOn] = useState<boolean>()
  const isOffered = mayWrite && 'role' in as && as.role === 'postgres' && folder.data?.hasFiles === true
  const isOn = isOffered && (chosen ?? (folder.data !== undefined && keepsByDefault(folder.data)))
  return { isOffered, isOn, setOn, changeOf: (sql) => (isOn ? schemaChange(sql) : undefined) }
}
