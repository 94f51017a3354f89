import { useRef, useState } from 'react'
import { post } from '@/lib/api'
import { notifyError } from '@/lib/notify'
import type { RunAnswer, RunOptions } from './model'

interface Text {
  text: string
  /** Position of the script in the editor's text. */
  from: number
}

const CANCEL_INTERVAL_MS = 250
const CANCEL_ATTEMPTS = 40

/** The result of a script that was run. */
export interface Outcome {
  answer?: RunAnswer
  error?: unknown
}

/**
 * Runs SQL. Only one script can run at a time, and it can be cancelled. For each script, the result of its last run is kept. The positions in the
 * results are positions in the editor's text.
 */
export function useRun() {
  const [outcomes, setOutcomes] = useState<Record<string, Outcome>>({})
  const [running, setRunning] = useState<string>()
  const current = useRef<string>(undefined)
  const isBusy = useRef(false)
  const start = async (script: string, { text, from }: Text, { as, mayWrite, seconds, explain }: RunOptions) => {
    if (isBusy.current) return undefined
    isBusy.current = true
    const id = newId()
    current.current = id
    setRunning(script)
    const finish = (outcome: Outcome) => setOutcomes((before) => ({ ...before, [script]: outcome }))
    const shared = { sql: text, id, timeout_seconds: seconds, ...(explain ? { explain } : {}) }
    try {
      const given = await post<RunAnswer>('/sql/run', { ...shared, as, read_only: !mayWrite })
      const moved = {
        ...given,
        results: given.results.map((result) => ({ ...result, start: result.start + from, end: result.end + from })),
      }
      if (moved.error && moved.error.position !== null) moved.error = { ...moved.error, position: moved.error.position + from }
      finish({ answer: moved })
      return moved
    } catch (problem) {
      finish({ error: problem })
      return undefined
    } finally {
      isBusy.current = false
      setRunning(undefined)
    }
  }
  // The server may not have begun the script yet, or may be between two statements; then there is nothing to cancel. Therefore the request is sent
  // again until the script has ended.
  const cancel = async () => {
    const id = current.current
    const isRunning = () => isBusy.current && current.current === id
    for (let attempt = 0; attempt < CANCEL_ATTEMPTS && isRunning(); attempt++) {
      try {
        await post('/sql/cancel', { id })
      } catch (problem) {
        notifyError('It was not cancelled', problem)
        return
      }
      await new Promise((resolve) => setTimeout(resolve, CANCEL_INTERVAL_MS))
    }
    if (isRunning()) notifyError('It was cancelled, but is still running')
  }
  return { outcomes, running, start, cancel }
}

/** Creates a random id. Browsers offer `randomUUID` only for https and localhost. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join('-')
}
