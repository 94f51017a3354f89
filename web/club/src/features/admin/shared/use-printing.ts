import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/** True while the page is being printed. A list that usually renders only its visible items must then render all of them. */
export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false)
  useEffect(() => {
    // The browser prints the page as it is when this event handler returns, so the change must be rendered before.
    const begin = () => flushSync(() => setPrinting(true))
    const end = () => setPrinting(false)
    window.addEventListener('beforeprint', begin)
    window.addEventListener('afterprint', end)
    return () => {
      window.removeEventListener('beforeprint', begin)
      window.removeEventListener('afterprint', end)
    }
  }, [])
  return printing
}
