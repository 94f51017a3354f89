import { useEffect } from 'react'
import { places } from '../awards'
import type { JudgedEntry } from '../entry'
import { useRankEntry } from '../queries/rank-entry'

interface PictureKeys {
  entry: JudgedEntry
  /** Shows another picture: the one that is this number of positions later in the list, or earlier for a negative number. */
  onStep: (by: number) => void
}

/** Page Up and Page Down show another picture. The keys 1, 2 and 3 give the entry a place; the key of the current place removes it. */
export function usePictureKeys({ entry, onStep }: PictureKeys) {
  const { choose } = useRankEntry(entry)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === 'PageDown' || event.key === 'PageUp') {
        event.preventDefault()
        onStep(event.key === 'PageDown' ? 1 : -1)
        return
      }
      const place = places.find((each) => String(each) === event.key)
      if (place !== undefined) choose(place)
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [choose, onStep])
}
