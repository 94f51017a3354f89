import { useQuery } from '@tanstack/react-query'
import { get } from './api'

export interface Migration {
  version: string
  name: string
  applied: boolean
  /** Whether the project's folder has its file. */
  file: boolean
}

interface Migrations {
  migrations: Migration[]
  /** Whether the server can write a file into the project's folder. */
  writable: boolean
}

/** What the project's folder says about migrations. */
export interface MigrationFolder {
  hasFiles: boolean
  isWritable: boolean
}

export const migrationsKey = ['migrations'] as const

/** Milliseconds for which the list is fresh: dialogs read it, and it changes rarely. */
const staleMs = 30_000

/** @param isAsked whether anything depends on it */
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
 * Whether a change of the schema becomes a migration unless the operator says otherwise. A project without migration files does not
 * work with migrations. Without a file, a recorded version would make the next start refuse older files that are not deployed yet.
 */
export const keepsByDefault = ({ hasFiles, isWritable }: MigrationFolder) => hasFiles && isWritable

const longestName = 80

/** Whether a text can be the name of a migration, between the time and the ending of its file. */
export const isMigrationName = (text: string) => /^[a-z0-9][a-z0-9_]{0,79}$/.test(text)

/** A name of a migration made of any text. */
export function migrationName(text: string): string {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+/g, '')
    .slice(0, longestName)
    .replaceAll(/_+$/g, '')
  return name || 'change'
}
