/** Steps of edits, which are undone and done again one by one; a paste is one step. A pure part. */
import type { Edit } from './edits'

export interface Steps {
  done: readonly (readonly Edit[])[]
  /** What was undone, the last one first to come back. */
  undone: readonly (readonly Edit[])[]
}

export const noSteps: Steps = { done: [], undone: [] }

/** Makes a step. What was undone before cannot come back. */
export const step = ({ done }: Steps, edits: readonly Edit[]): Steps =>
  edits.length === 0 ? { done, undone: [] } : { done: [...done, edits], undone: [] }

export function undo({ done, undone }: Steps): Steps {
  const last = done.at(-1)
  return last ? { done: done.slice(0, -1), undone: [...undone, last] } : { done, undone }
}

export function redo({ done, undone }: Steps): Steps {
  const last = undone.at(-1)
  return last ? { done: [...done, last], undone: undone.slice(0, -1) } : { done, undone }
}

/** The steps without what is saved. What was undone was made before it, and cannot come back. */
export function saved({ done }: Steps, edits: readonly Edit[]): Steps {
  const gone = new Set(edits)
  const left = done.map((each) => each.filter((edit) => !gone.has(edit)))
  return { done: left.filter((each) => each.length > 0), undone: [] }
}
