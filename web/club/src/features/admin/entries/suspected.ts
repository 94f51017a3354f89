import { createContext } from 'react'

/** Ids of entries that may have been sent twice. Lists mark these entries. */
export const Suspected = createContext<ReadonlySet<string>>(new Set())
