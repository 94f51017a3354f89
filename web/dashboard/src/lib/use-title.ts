import { useEffect } from 'react'

/** Sets the page's title in the browser's tab. */
export function useTitle(title: string) {
  useEffect(() => {
    document.title = `${title} · Cloch`
  }, [title])
}
