import { useEffect, useState } from 'react'
import { useDashboardAddress } from './use-dashboard-address'

/** Milliseconds without a keystroke after which the URL is updated. */
const restMs = 300

/** A typed text that is also stored in the URL. The router is too slow to update the URL at every keystroke, so it is updated when typing pauses. */
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
