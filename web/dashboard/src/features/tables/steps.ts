/** Undo and redo of edits, step by step. A paste is one step. A pure module. */
import type { Edit } from './edits'

export interface Steps {
  done: readonly (readonly Edit[])[]
  /** Undone steps, the last one first to be redone. */
  undone: readonly (readonly Edit[])[]
}

export const noSteps: Steps = { done: [], undone: [] }

/** Adds a step. Undone steps can no longer be redone. */
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

/** Removes the saved edits. Undone steps can no longer be redone, because they were made before the saved state. */
export function saved({ done }: Steps, edits: readonly Edit[]): Steps {
  const gone = new Set(edits)
  const left = done.map((each) => each.filter((edit) => !gone.has(edit)))
  return { done: left.filter((each) => each.length > 0), undone: [] }
}
