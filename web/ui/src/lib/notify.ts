import type { toast } from 'sonner'
import { isToasterWanted, wantToaster } from './toaster-place'

/** A message shown in a corner of the page: what happened, and one sentence more. */
export interface Notice {
  title: string
  description?: string
  /** Something that can be done about it, while the message is shown. */
  action?: { label: string; onClick: () => void }
}

/** Milliseconds a message about something that went well stays. */
export const toastMs = 4000

/** Milliseconds a message stays that offers to take something back. */
const actionMs = 10_000

/** Fetches what messages need, so that the one that says "no network" can be shown without a network. */
export async function prepareNotices(): Promise<typeof toast> {
  const [library] = await Promise.all([import('sonner'), wantToaster()])
  return library.toast
}

/** Says that something went well; goes away by itself. */
export function notifySuccess({ title, description, action }: Notice) {
  void prepareNotices().then((say) => say.success(title, { description, action, duration: action ? actionMs : toastMs }))
}

/** Says that something went wrong; stays until closed, because it may need to be read twice. */
export function notifyError({ title, description, action }: Notice) {
  void prepareNotices().then((say) => say.error(title, { description, action, duration: Infinity }))
}

/** Takes away what was said before: a new attempt begins. */
export function clearNotices() {
  if (isToasterWanted()) void prepareNotices().then((say) => say.dismiss())
}

/** Says that something went less than well: stays as an error does. */
export function notifyWarning({ title, description, action }: Notice) {
  void prepareNotices().then((say) => say.warning(title, { description, action, duration: Infinity }))
}
