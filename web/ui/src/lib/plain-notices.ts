import type { Notice, NoticeKind } from './notify'

/**
 * Messages in a plain form. They are used if the code of the usual messages could not be loaded, because there is no network or a new build of the
 * site was deployed.
 */

export interface PlainNotice extends Notice {
  id: string
  kind: NoticeKind
}

let shown: readonly PlainNotice[] = []
const listeners = new Set<() => void>()

function show(next: readonly PlainNotice[]) {
  shown = next
  listeners.forEach((listener) => listener())
}

export const showPlain = (notice: PlainNotice) => show([...shown.filter(({ id }) => id !== notice.id), notice].slice(-3))
/** Removes one message, or all messages if no id is given. */
export const hidePlain = (id?: string) => show(id === undefined ? [] : shown.filter((notice) => notice.id !== id))
export const plainNotices = () => shown

export function onPlainNotices(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
