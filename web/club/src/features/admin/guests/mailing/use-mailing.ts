import { useSyncExternalStore } from 'react'
import { messageOf } from '@/lib/errors'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { useLeaveGuard } from '../../shared/use-leave-guard'
import { lastLetterAt } from '../queries/letters-since'
import type { Guest } from '../queries/list-guests'
import { keepMailing, newMailing, readMailing, type Mailing } from './mailing'
import { runMailing } from './run-mailing'

interface State {
  mailing: Mailing | undefined
  running: boolean
}

/** This state is outside the components, so that a mailing continues while the user looks at another tab of the dashboard. */
let state: State | undefined
let stopped = false
const listeners = new Set<() => void>()

function current(): State {
  state ??= { mailing: readMailing(), running: false }
  return state
}

function change(next: State) {
  state = next
  keepMailing(next.mailing)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

async function run(mailing: Mailing, guests: readonly Guest[]) {
  stopped = false
  change({ mailing, running: true })
  const end = await runMailing(mailing, {
    guests,
    isStopped: () => stopped,
    onProgress: (next) => change({ mailing: next, running: true }),
  })
  if (end.waiting.length > 0) {
    change({ mailing: end, running: false })
    return
  }
  change({ mailing: undefined, running: false })
  report(end, guests)
}

function report({ sent, failed }: Mailing, guests: readonly Guest[]) {
  if (sent.length > 0) notifySuccess({ title: 'Success', description: `Sent ${sent.length} email(s) successfully` })
  if (failed.length === 0) return
  const names = failed.map((id) => guests.find((guest) => guest.id === id)?.name ?? 'a deleted guest')
  notifyError({ title: 'Error', description: `Failed to send to: ${names.join(', ')}` })
}

/** The running or interrupted mailing. */
export function useMailing(guests: readonly Guest[]) {
  const { mailing, running } = useSyncExternalStore(subscribe, current)
  useLeaveGuard(running)
  return {
    mailing,
    running,
    /** Starts a mailing. Does not start it if the list of sent letters cannot be read. */
    start: async (message: string, recipients: readonly Guest[]) => {
      try {
        const since = await lastLetterAt()
        void run(
          newMailing(
            message,
            since,
            recipients.map(({ id }) => id),
          ),
          guests,
        )
        return true
      } catch (error) {
        notifyError({ title: 'Error', description: messageOf(error, 'Failed to send email') })
        return false
      }
    },
    stop: () => {
      stopped = true
    },
    resume: () => (mailing ? void run(mailing, guests) : undefined),
    discard: () => change({ mailing: undefined, running: false }),
  }
}
