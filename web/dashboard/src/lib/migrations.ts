import { useQuery } from '@tanstack/react-query'
import { get } from './api'

export interface Migration {
  version: string
  name: string
  applied: boolean
  /** Whether the project's folder contains its file. */
  file: boolean
}

interface Migrations {
  migrations: Migration[]
  /** Whether the server can write a file into the project's folder. */
  writable: boolean
}

/** The state of the project's folder of migrations. */
export interface MigrationFolder {
  hasFiles: boolean
  isWritable: boolean
}

export const migrationsKey = ['migrations'] as const

/** Milliseconds for which the list is not read again, because dialogs read it often and it rarely changes. */
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
 * Whether a change of the schema becomes a migration by default. A project without migration files does not work with migrations. And if no file can
 * be written, the recorded version would make the next start refuse older files that are not deployed yet.
 */
export const keepsByDefault = ({ hasFiles, isWritable }: MigrationFolder) => hasFiles && isWritable

const longestName = 80

/** Whether a text is valid as the name of a migration, which is between the time and the extension of its file name. */
export const isMigrationName = (text: string) => /^[a-z0-9][a-z0-9_]{0,79}$/.test(text)

/** Converts any text to a valid name of a migration. */
export function migrationName(text: string): string {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+/g, '')
    .slice(0, longestName)
    .replaceAll(/_+$/g, '')
  return name || 'change'
}
