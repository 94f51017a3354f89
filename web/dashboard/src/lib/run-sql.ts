import { ApiError, post } from './api'
import { sentence } from './notify'

/** The migration as which a change is kept. */
export interface NewMigration {
  /** Its name, without time and extension: `add_policy_notes_own`. */
  name: string
  /** Whether the server writes a file. Otherwise the migration is only recorded as applied. */
  hasFile: boolean
}

/** The migration as which a change was kept. */
export interface Kept {
  /** The path of its file in the project's folder. */
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

/** Records statements as a migration. With `apply`, it also runs them, in the same transaction. @throws PostgreSQL's error */
async function migrate(sql: string, { name, hasFile }: NewMigration, apply: boolean): Promise<Kept> {
  const added = await post<Added>('/sql/migrations', { name, sql, apply, keep_file: hasFile }).catch((error: unknown) => {
    throw isOfStatement(error) ? new Error(sentences([error.message, error.details.detail, error.details.hint])) : error
  })
  return { file: added.file ?? `migrations/${added.version}_${added.name}.sql`, isWritten: added.file !== null }
}

/** Runs statements as the project's owner, as a migration if one is given. @throws PostgreSQL's error */
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
    /** Timeout of a statement, if the server's default (30) is too short. */
    seconds?: number | undefined
    /** Whether PostgreSQL refuses the statement in a transaction, such as `create index concurrently`: it is recorded after it has run. */
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

/** Whether the error is PostgreSQL's error of a statement, whose detail and hint are useful. */
const isOfStatement = (error: unknown): error is OfStatement =>
  error instanceof ApiError && error.code === 'database' && typeof error.details === 'object' && error.details !== null
