/** Types of the API that restores files from a backup, and pure functions for its dialog. */
import { formatBytes, formatTime } from '@/lib/format'
import type { Bucket } from './contract'

/** A file of the copy that has been deleted or replaced since that time. */
export interface FoundFile {
  name: string
  version: string
  size: number | null
  mimetype: string | null
  updated_at: string | null
  /** The current file with this name. Null if the file was deleted. */
  now: { version: string; size: number | null; updated_at: string | null } | null
}

export interface FoundFiles {
  moment: string
  files: FoundFile[]
  /** Number of files that were compared for this page. */
  compared: number
  next: string | null
}

export interface Restored {
  restored: string[]
  failed: { name: string; message: string }[]
}

/** Maximum number of files that one request restores. */
export const maxChosen = 100

/** The request that restores files. Only a single file can get another name. */
export const restoreRequest = (bucket: string, files: readonly FoundFile[], to: string) => ({
  bucket,
  files: files.map(({ name, version, now }) => ({
    name,
    version,
    now: now?.version ?? null,
    to: files.length === 1 && to.trim() !== '' && to !== name ? to : null,
  })),
})

/** Returns sentences that describe the effects of a restore. */
export function consequences(bucket: Bucket, files: readonly FoundFile[], to: string): string[] {
  const [only] = files
  const bytes = formatBytes(files.reduce((sum, { size }) => sum + (size ?? 0), 0))
  if (files.length === 1 && only && to.trim() !== '' && to !== only.name) {
    return [`${only.name} of that moment (${bytes}) is stored as ${to}. ${only.name} stays as it is.`]
  }
  const replaced = files.filter(({ now }) => now)
  const back = files.length - replaced.length
  const kept =
    bucket.versioning_status === 'ENABLED' ? 'what they contain now stays as a version' : 'what they contain now is lost'
  return [
    `${bytes} in ${files.length === 1 ? 'one file' : `${files.length} files`}.`,
    ...(back > 0 ? [`${back === 1 ? 'One deleted file comes' : `${back} deleted files come`} back.`] : []),
    ...(replaced.length > 0
      ? [`${replaced.length === 1 ? 'One file is' : `${replaced.length} files are`} replaced; ${kept}.`]
      : []),
  ]
}

/** Describes how a file in the backup differs from the current file with the same name. */
export const stateText = ({ now }: FoundFile) =>
  now ? `replaced: ${formatBytes(now.size ?? 0)}, ${formatTime(now.updated_at)}` : 'deleted'

/** Returns a text such as “2 files are restored”. */
export const restoredText = ({ restored }: Restored) =>
  restored.length === 1 ? `${restored[0] ?? ''} is restored` : `${restored.length} files are restored`
