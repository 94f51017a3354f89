import { useState } from 'react'
import { isMigrationName, keepsByDefault, migrationName, useMigrationFolder } from '@/lib/migrations'
import type { NewMigration } from '@/lib/run-sql'
import { CheckField, TextField } from './fields'

export interface Keeping {
  /** Whether the change can be stored as a migration. This is not possible for changes of data. */
  isOffered: boolean
  /** Whether the choice can be used: the project's default has been read and, if the change is stored as a migration, the name is valid. */
  isReady: boolean
  isWritable: boolean
  isKept: boolean
  setKept: (isKept: boolean) => void
  name: string
  setName: (name: string) => void
  /** The migration in which the change is stored. `undefined` if the user does not want a migration. */
  migration: NewMigration | undefined
}

/**
 * The state of two inputs: whether a change is stored as a migration, and the migration's name.
 * @param suggested suggested name; `undefined` for changes of data
 * @param isKept initial choice, in place of the project's default
 */
export function useKeeping(suggested: string | undefined, isKept?: boolean): Keeping {
  const [chosen, setChosen] = useState(isKept)
  const [typed, setTyped] = useState<string>()
  const isOffered = suggested !== undefined
  const folder = useMigrationFolder(isOffered)
  const name = typed ?? migrationName(suggested ?? '')
  // If the folder's state could not be read, assume that the folder is writable. If it is not, the server refuses to write the file.
  const isWritable = folder.data?.isWritable ?? true
  const keeps = isOffered && (chosen ?? (folder.data !== undefined && keepsByDefault(folder.data)))
  return {
    isOffered,
    isReady: !isOffered || (!folder.isPending && (!keeps || isMigrationName(name))),
    isWritable,
    isKept: keeps,
    setKept: setChosen,
    name,
    setName: setTyped,
    migration: keeps ? { name, hasFile: isWritable } : undefined,
  }
}

/** Label of the button that runs the change. */
export const runLabel = ({ isKept, isWritable }: Keeping) => (!isKept ? 'Run' : isWritable ? 'Run and keep' : 'Run and record')

/** The checkbox that stores a change of the schema as a migration, and the field for the migration's name. */
export function KeepAsMigration({ keeping }: { keeping: Keeping }) {
  const { isOffered, isWritable, isKept, setKept, name, setName } = keeping
  if (!isOffered) return null
  return (
    <div className="grid gap-2">
      {isWritable ? (
        <CheckField
          label="Keep as a migration file"
          hint="The file goes into the project’s folder and is recorded as applied, so that no start runs it again."
          checked={isKept}
          onChange={setKept}
        />
      ) : (
        <>
          <p className="rounded border-l-6 border-input bg-muted p-3">
            The server cannot write into the project’s folder, so it makes no migration file. Copy the SQL into a migration of
            your repository.
          </p>
          <CheckField
            label="Record it as an applied migration"
            hint="Then the name and the text of its file are shown, for your repository. A start refuses files that are older than the newest recorded migration."
            checked={isKept}
            onChange={setKept}
          />
        </>
      )}
      {isKept && (
        <TextField
          label="Name of the migration"
          hint="Small letters, digits and _"
          value={name}
          onChange={setName}
          error={isMigrationName(name) ? undefined : 'Use small letters, digits and _, 80 at most.'}
          controlClassName="font-mono"
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </div>
  )
}

/** States the choice again beside the button, because the checkbox may not be visible there. */
export function KeptNote({ keeping: { isKept, isWritable, name } }: { keeping: Keeping }) {
  if (!isKept) return null
  return (
    <span className="min-w-0 text-floor break-words text-muted-foreground">
      {isWritable ? 'Becomes the migration' : 'Is recorded as the migration'} <code>{name}</code>
    </span>
  )
}
