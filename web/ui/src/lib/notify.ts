import type { toast } from 'sonner'
import { hidePlain, showPlain } from './plain-notices'
import { isToasterWanted, wantToaster } from './toaster-place'

/** A message in a corner of the page: a title and a sentence. */
export interface Notice {
  title: string
  description?: string
  /** A button that is offered while the message is shown. */
  action?: { label: string; onClick: () => void }
}

export type NoticeKind = 'success' | 'error' | 'warning'

/** Removes a message when its cause no longer exists. */
export type Dismiss = () => void

/** Milliseconds for which a success message is shown. */
export const toastMs = 4000

/** Milliseconds for which a message with an undo action is shown. */
const actionMs = 10_000

/** Loads the code for messages in advance, so that a message about a lost network can be shown without a network. */
export async function prepareNotices(): Promise<typeof toast> {
  const [library] = await Promise.all([import('sonner'), wantToaster()])
  return library.toast
}

let last = 0

function say(kind: NoticeKind, notice: Notice, duration: number): Dismiss {
  const { title, description, action } = notice
  last += 1
  const id = `notice-${last}`
  let isDismissed = false
  prepareNotices().then(
    (library) => {
      if (!isDismissed) library[kind](title, { id, description, action, duration })
    },
    () => {
      if (isDismissed) return
      showPlain({ ...notice, id, kind })
      if (duration !== Infinity) window.setTimeout(() => hidePlain(id), duration)
    },
  )
  return () => {
    isDismissed = true
    hidePlain(id)
    if (isToasterWanted())
      prepareNotices().then(
        (library) => library.dismiss(id),
        () => undefined,
      )
  }
}

/** Shows a success message, which disappears by itself. */
export function notifySuccess(notice: Notice): Dismiss {
  return say('success', notice, notice.action ? actionMs : toastMs)
}

/** Shows an error message. It stays until the user closes it or its cause no longer exists, because the user may want to read it twice. */
export function notifyError(notice: Notice): Dismiss {
  return say('error', notice, Infinity)
}

/** Shows a warning. It stays as long as an error message. */
export function notifyWarning(notice: Notice): Dismiss {
  return say('warning', notice, Infinity)
}

/** Removes all messages. Called when the user tries again. */
export function clearNotices() {
  hidePlain()
  if (isToasterWanted())
    prepareNotices().then(
      (library) => library.dismiss(),
      () => undefined,
    )
}
