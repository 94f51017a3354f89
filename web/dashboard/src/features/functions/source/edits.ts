/** Edits of a function's files that are not deployed yet. */
import type { FunctionSource } from '@/lib/functions'
import { lineDiff } from './line-diff'

/** For each path, the new text, or null if the file is deleted. */
export type Edits = Readonly<Record<string, string | null>>

export const textOf = (source: FunctionSource, path: string) =>
  source.files.find((file) => file.path === path)?.text ?? undefined

/** The text of a file after the edits. `undefined` if the file is deleted or is not a text. */
export function editedText(source: FunctionSource, edits: Edits, path: string): string | undefined {
  const edited = edits[path]
  return edited === undefined ? textOf(source, path) : (edited ?? undefined)
}

/** Adds an edit. If the new text is the same as the deployed text, removes the edit of this file instead. */
export function withEdit(source: FunctionSource, edits: Edits, path: string, text: string | null | undefined): Edits {
  const others = Object.fromEntries(Object.entries(edits).filter(([other]) => other !== path))
  const isNew = !source.files.some((file) => file.path === path)
  const isUnchanged = text === undefined || (text === null ? isNew : !isNew && text === textOf(source, path))
  return isUnchanged ? others : { ...others, [path]: text }
}

/** Paths of all files, including new ones. */
export const pathsOf = (source: FunctionSource, edits: Edits) => [
  ...new Set([...source.files.map(({ path }) => path), ...Object.keys(edits)]),
]

/** The reason why a path cannot be used for a new file. */
export function newPathProblem(path: string, taken: readonly string[]): string | undefined {
  if (
    path === '' ||
    path.startsWith('/') ||
    path.endsWith('/') ||
    path.split('/').some((part) => ['', '.', '..'].includes(part))
  )
    return 'A path has names between slashes, as functions/hello/lib.ts.'
  if (path.split('/').some((part) => part.startsWith('.env')))
    return 'Secrets are set on the page of all functions, not in files.'
  if (taken.some((other) => other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`)))
    return 'There is a file or folder of this name.'
  return undefined
}

/** The diff of each changed file. */
export const diffsOf = (source: FunctionSource, edits: Edits) =>
  Object.entries(edits)
    .map(([path, text]) => ({ path, lines: lineDiff(textOf(source, path) ?? '', text ?? ''), isRemoved: text === null }))
    .toSorted((a, b) => a.path.localeCompare(b.path, 'en'))
