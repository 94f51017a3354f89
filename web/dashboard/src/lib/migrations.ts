import { useQuery } from '@tanstack/react-query'
import { get } from './api'

export interface Migration {
  version: string
  name: string
  applied: boolean
  /** Whether the project's folder contains the file of this migration. */
  file: boolean
}

interface Migrations {
  migrations: Migration[]
  /** Whether the server can write a file into the project's folder. */
  writable: boolean
}

/** State of the project's folder with migrations. */
export interface MigrationFolder {
  hasFiles: boolean
  isWritable: boolean
}

export const migrationsKey = ['migrations'] as const

/** For this number of milliseconds, the list is not read again. Many dialogs use it, and it rarely changes. */
const staleMs = 30_000

/** @param isAsked whether the list is needed */
export const useMigrationFolder = (isAsked = true) =>
  useQuery({
    enabled: isAsked,
    queryKey: migrationsKey,
    staleTime: staleMs,
    queryFn: ({ signal }) => get<Migrations>('/sql/migrations', {}, signal),
    select: ({ migrations, writable }): MigrationFolder => ({
      hasFiles: migrations.some(({ file }) => file),
      isWritable: writable,
    }),
  })

/**
 * Whether a change of the schema is stored as a migration by default. It is not if the project has no migration files, because then it does not use
 * migrations. It is also not if no file can be written: the version would be recorded without a file, and the next start of the server would then
 * refuse older files that have not been deployed yet.
 */
export const keepsByDefault = ({ hasFiles, isWritable }: MigrationFolder) => hasFiles && isWritable

const longestName = 80

/** Whether a text is valid as the name of a migration. The name is the part of the file name between the time and the extension. */
export const isMigrationName = (text: string) => /^[a-z0-9][a-z0-9_]{0,79}$/.test(text)

/** Converts any text to a name that is valid for a migration. */
export function migrationName(text: string): string {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+/g, '')
    .slice(0, longestName)
    .replaceAll(/_+$/g, '')
  return name || 'change'
}
