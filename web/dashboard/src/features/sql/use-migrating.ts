import { useState } from 'react'
import { keepsByDefault, useMigrationFolder } from '@/lib/migrations'
import { schemaChange, type SchemaChange } from '@/lib/schema-change'
import type { RunOptions } from './model'

export interface Migrating {
  /** Whether the switch is shown: the project has migrations, and the script may change the schema. */
  isOffered: boolean
  isOn: boolean
  setOn: (isOn: boolean) => void
  /** The change of the schema in a script, if it can be kept as a migration. */
  changeOf: (sql: string) => SchemaChange | undefined
}

/** Whether a script that changes the schema is shown for review as a migration before it runs. This is the default in a project with migrations. */
export function useMigrating({ as, mayWrite }: RunOptions): Migrating {
  const folder = useMigrationFolder()
  const [chosen, setOn] = useState<boolean>()
  const isOffered = mayWrite && 'role' in as && as.role === 'postgres' && folder.data?.hasFiles === true
  const isOn = isOffered && (chosen ?? (folder.data !== undefined && keepsByDefault(folder.data)))
  return { isOffered, isOn, setOn, changeOf: (sql) => (isOn ? schemaChange(sql) : undefined) }
}
