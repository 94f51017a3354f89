import { createContext } from 'react'

/** The ids of the entries that are perhaps sent twice, for the marks in a list. */
export const Suspected = createContext<ReadonlySet<string>>(new Set())
