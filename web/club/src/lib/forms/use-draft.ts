import { useCallback, useEffect, useRef, useState } from 'react'
import type { FieldValues, UseFormReturn } from 'react-hook-form'
import { afterPointerUp } from '@/lib/after-pointer-up'
import type { StoredFile } from '@/lib/upload/rules'
import { clearDraft, writeDraft, type Draft } from './draft'

/** The draft is written when the user has typed nothing for this number of milliseconds. */
const rest = 400

interface DraftOptions<Values extends FieldValues> {
  name: string
  empty: Values
  form: UseFormReturn<Values>
  files: StoredFile[]
  /** Returns the key that identifies this filled form. Called when the draft is written. */
  key: () => string
  savedAt: string | undefined
}

export interface DraftState {
  /** Time of the last write in ISO 8601 format; undefined if there is no draft. */
  savedAt: string | undefined
  /** Whether there is input that has not been written yet. */
  isWaiting: boolean
  /** Writes the draft immediately. */
  write: () => void
  /** Deletes the draft. */
  forget: () => void
  /**
   * Takes over a draft whose answers and files the form already contains.
   * @param isChanged whether the form also contains answers that are not in the draft
   */
  adopt: (stored: Draft<unknown>, isChanged: boolean) => void
}

/** Stores the input of a form on the device: shortly after each change, and when the user leaves the page. */
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
    // The note about the stored draft moves the content below it. Therefore it is shown only when no pointer button is pressed.
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
      // Written only if there is unwritten input. Otherwise the draft of a form that was just sent would be stored again.
      if (timer.current !== undefined) write()
    }
    const stop = form.subscribe({ formState: { values: true }, callback: later })
    window.addEventListener('pagehide', flush)
    return () => {
      // The user may leave the form before the timer has ended.
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
    // The draft may be written before the form has been rendered with its files.
    latest.current = { ...latest.current, files: stored.files }
    adopted.current = stored.files.length
    setSavedAt(stored.savedAt)
    if (isChanged) return
    // The form contains only what the draft contains, so it is not written again. A write would also prolong the draft's lifetime.
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
