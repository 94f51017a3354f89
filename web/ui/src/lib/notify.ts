import type { toast } from 'sonner'
import { hidePlain, showPlain } from './plain-notices'
import { isToasterWanted, wantToaster } from './toaster-place'

/** A message shown in a corner of the page: what happened, and one sentence more. */
export interface Notice {
  title: string
  description?: string
  /** Something that can be done about it, while the message is shown. */
  action?: { label: string; onClick: () => void }
}

export type NoticeKind = 'success' | 'error' | 'warning'

/** Takes a message away: its cause is gone. */
export type Dismiss = () => void

/** Milliseconds a message about something that went well stays. */
export const toastMs = 4000

/** Milliseconds a message stays that offers to take something back. */
const actionMs = 10_000

/** Fetches what messages need, so that the one that says "no network" can be shown without a network. */
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

/** Says that something went well; goes away by itself. */
export function notifySuccess(notice: Notice): Dismiss {
  return say('success', notice, notice.action ? actionMs : toastMs)
}

/** Says that something went wrong; stays until closed, because it may need to be read twice, or until its cause is gone. */
export function notifyError(notice: Notice): Dismiss {
  return say('error', notice, Infinity)
}

/** Says that something went less than well: stays as an error does. */
export function notifyWarning(notice: Notice): Dismiss {
  return say('warning', notice, Infinity)
}

/** Takes away what was said before: a new attempt begins. */
export function clearNotices() {
  hidePlain()
  if (isToasterWanted())
    prepareNotices().then(
      (library) => library.dismiss(),
      () => undefined,
    )
}
