/** Undo and redo of edits. One step can contain several edits: a paste is one step. This module has no side effects. */
import type { Edit } from './edits'

export interface Steps {
  done: readonly (readonly Edit[])[]
  /** The steps that were undone. The last one in the list is redone first. */
  undone: readonly (readonly Edit[])[]
}

export const noSteps: Steps = { done: [], undone: [] }

/** Adds a step. After that, undone steps can no longer be redone. */
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

/** Removes the edits that were saved. After that, undone steps can no longer be redone, because they are based on the unsaved values. */
export function saved({ done }: Steps, edits: readonly Edit[]): Steps {
  const gone = new Set(edits)
  const left = done.map((each) => each.filter((edit) => !gone.has(edit)))
  return { done: left.filter((each) => each.length > 0), undone: [] }
}
