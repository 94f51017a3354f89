import { ApiError, post } from './api'
import { sentence } from './notify'

/** The migration in which a change will be stored. */
export interface NewMigration {
  /** Name of the migration, without time and extension, such as `add_policy_notes_own`. */
  name: string
  /** Whether the server writes a file. If not, it only records the migration as applied. */
  hasFile: boolean
}

/** The migration in which a change has been stored. */
export interface Kept {
  /** The path of the migration's file in the project's folder. */
  file: string
  /** Whether the server wrote the file. */
  isWritten: boolean
}

interface RunAnswer {
  error?: { message: string; detail?: string; hint?: string } | null
}

interface Added {
  version: string
  name: string
  file: string | null
}

/** Records statements as a migration. With `apply`, the server also runs them in the same transaction. @throws PostgreSQL's error */
async function migrate(sql: string, { name, hasFile }: NewMigration, apply: boolean): Promise<Kept> {
  const added = await post<Added>('/sql/migrations', { name, sql, apply, keep_file: hasFile }).catch((error: unknown) => {
    throw isOfStatement(error) ? new Error(sentences([error.message, error.details.detail, error.details.hint])) : error
  })
  return { file: added.file ?? `migrations/${added.version}_${added.name}.sql`, isWritten: added.file !== null }
}

/** Runs statements with the project's owner role. If a migration is given, also records them as this migration. @throws PostgreSQL's error */
export async function runSql(
  sql: string,
  {
    migration,
    expectRows,
    seconds,
    isAlone = false,
  }: {
    migration?: NewMigration | undefined
    expectRows?: number | undefined
    /** Timeout of a statement in seconds. Set if the server's default (30) is too short. */
    seconds?: number | undefined
    /** Whether the statement cannot run in a transaction, such as `create index concurrently`. Then it is recorded after it has run. */
    isAlone?: boolean | undefined
  },
): Promise<Kept | undefined> {
  if (migration !== undefined && !isAlone) return migrate(sql, migration, true)
  const { error } = await post<RunAnswer>('/sql/run', {
    sql,
    as: { role: 'postgres' },
    read_only: false,
    ...(expectRows === undefined ? {} : { expect_rows: expectRows }),
    ...(seconds === undefined ? {} : { timeout_seconds: seconds }),
  })
  if (error) throw new Error(sentences([error.message, error.detail, error.hint]))
  return migration === undefined ? undefined : migrate(sql, migration, false)
}

const sentences = (texts: (string | null | undefined)[]) => texts.flatMap((text) => (text ? [sentence(text)] : [])).join(' ')

type OfStatement = ApiError & { details: { detail?: string | null; hint?: string | null } }

/** Whether the error comes from a statement in PostgreSQL. Such an error has a useful detail and hint. */
const isOfStatement = (error: unknown): error is OfStatement =>
  error instanceof ApiError && error.code === 'database' && typeof error.details === 'object' && error.details !== null
