import { useCallback, useEffect, useRef, useState } from 'react'
import type { FieldValues, UseFormReturn } from 'react-hook-form'
import { afterPointerUp } from '@/lib/after-pointer-up'
import type { StoredFile } from '@/lib/upload/rules'
import { clearDraft, writeDraft, type Draft } from './draft'

/** Milliseconds of rest after typing before the draft is written. */
const rest = 400

interface DraftOptions<Values extends FieldValues> {
  name: string
  empty: Values
  form: UseFormReturn<Values>
  files: StoredFile[]
  /** Identity of this fill; read when the draft is written. */
  key: () => string
  savedAt: string | undefined
}

export interface DraftState {
  /** When the draft was last written, ISO 8601; undefined while there is nothing to keep. */
  savedAt: string | undefined
  /** Whether something was typed that is not written yet. */
  isWaiting: boolean
  /** Writes the draft at once. */
  write: () => void
  /** Forgets the draft. */
  forget: () => void
  /** Goes on with a draft whose answers and files the form has just been given. `isChanged`: it was given others as well. */
  adopt: (stored: Draft<unknown>, isChanged: boolean) => void
}

/** Keeps what is typed on the device, a moment after each change and when the page is left. */
export function useDraft<Values extends FieldValues>(options: DraftOptions<Values>): DraftState {
  const { name, form, files } = options
  const [savedAt, setSavedAt] = useState(options.savedAt)
  const [isWaiting, setIsWaiting] = useState(false)
  const latest = useRef(options)
  const timer = useRef<number>(undefined)
  const written = useRef<string>(undefined)
  useEffect(() => {
    latest.current = options
  })

  const stopTimer = useCallback(() => {
    window.clearTimeout(timer.current)
    timer.current = undefined
  }, [])

  const forget = useCallback(() => {
    stopTimer()
    clearDraft(name)
    written.current = undefined
    setSavedAt(undefined)
    setIsWaiting(false)
  }, [name, stopTimer])

  const write = useCallback(() => {
    stopTimer()
    const { empty, form: current, files: kept, key } = latest.current
    const values = current.getValues()
    if (kept.length === 0 && isEmpty(values, empty)) {
      forget()
      return
    }
    const now = new Date().toISOString()
    writeDraft(name, { savedAt: now, values, files: kept, key: key() })
    written.current = now
    // Saying so takes a line.
    afterPointerUp(() => {
      if (written.current !== now) return
      setSavedAt(now)
      setIsWaiting(false)
    })
  }, [name, forget, stopTimer])

  useEffect(() => {
    const later = () => {
      stopTimer()
      setIsWaiting(true)
      timer.current = window.setTimeout(write, rest)
    }
    const flush = () => {
      // Only what is waiting to be written: a form that was just sent must not come back.
      if (timer.current !== undefined) write()
    }
    const stop = form.subscribe({ formState: { values: true }, callback: later })
    window.addEventListener('pagehide', flush)
    return () => {
      // The form may be left before the rest is over.
      flush()
      window.removeEventListener('pagehide', flush)
      stop()
    }
  }, [form, write, stopTimer])

  const fileCount = files.length
  const counted = useRef(fileCount)
  const adopted = useRef<number>(undefined)
  useEffect(() => {
    if (counted.current === fileCount) return
    counted.current = fileCount
    const isWritten = adopted.current === fileCount
    adopted.current = undefined
    if (!isWritten) write()
  }, [fileCount, write])

  const adopt = (stored: Draft<unknown>, isChanged: boolean) => {
    // The draft may be written before the form has rendered its files.
    latest.current = { ...latest.current, files: stored.files }
    adopted.current = stored.files.length
    setSavedAt(stored.savedAt)
    if (isChanged) return
    // To be read is no change, which would keep the draft for longer.
    stopTimer()
    setIsWaiting(false)
  }

  return { savedAt, isWaiting, write, forget, adopt }
}

function isEmpty(values: object, empty: object): boolean {
  return Object.entries(values).every(([name, value]) => {
    const blank: unknown = Reflect.get(empty, name)
    return JSON.stringify(value ?? '') === JSON.stringify(blank ?? '')
  })
}
