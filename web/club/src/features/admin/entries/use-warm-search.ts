import { useEffect } from 'react'
import { prepareSearch } from './search'
import { allEntries } from './submissions'
import type { Submissions } from './submissions'

/** Number of entries that are prepared at a time. This takes much less time than a frame. */
const batch = 50

/** Prepares the entries for the search while the browser is idle, so that the first keystroke is as fast as the others. */
export function useWarmSearch(submissions: Submissions) {
  useEffect(() => {
    const entries = allEntries(submissions)
    let next = 0
    let timer: number
    const work = () => {
      for (const entry of entries.slice(next, next + batch)) prepareSearch(entry)
      next += batch
      if (next < entries.length) timer = window.setTimeout(work)
    }
    timer = window.setTimeout(work)
    return () => window.clearTimeout(timer)
  }, [submissions])
}
