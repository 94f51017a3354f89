import { useEffect, useState } from 'react'
import { useDashboardAddress } from './use-dashboard-address'

/** Milliseconds of rest after typing before the address is written. */
const restMs = 300

/** A text that is typed, kept in the address as well once typing rests: the router is too slow to follow every key. */
export function useAddressText(name: string): [string, (text: string) => void] {
  const { value, setValues } = useDashboardAddress()
  const kept = value(name)
  const [text, setText] = useState(kept)
  useEffect(() => {
    if (text === kept) return
    const timer = window.setTimeout(() => setValues({ [name]: text }), restMs)
    return () => window.clearTimeout(timer)
  }, [name, text, kept, setValues])
  return [text, setText]
}
