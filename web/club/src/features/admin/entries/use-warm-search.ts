import { useEffect } from 'react'
import { prepareSearch } from './search'
import { allEntries } from './submissions'
import type { Submissions } from './submissions'

/** Entries prepared at once: far below a frame's time. */
const batch = 50

/** Prepares the entries for searching while nothing else happens, so that the first key is as quick as the others. */
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
