import { createContext } from 'react'

/** Ids of entries that may have been sent twice, which are marked in lists. */
export const Suspected = createContext<ReadonlySet<string>>(new Set())
