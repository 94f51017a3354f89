import { useState } from 'react'

/** Key in localStorage. The value states whether the schema is shown beside the editor. */
const key = 'cloch.sql.tree'

export function useTree(): [isShown: boolean, toggle: () => void] {
  const [isShown, setShown] = useState(() => localStorage.getItem(key) !== 'hidden')
  const toggle = () => {
    setShown(!isShown)
    if (isShown) localStorage.setItem(key, 'hidden')
    else localStorage.removeItem(key)
  }
  return [isShown, toggle]
}
