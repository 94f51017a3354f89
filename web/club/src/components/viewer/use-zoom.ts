import { useCallback, useEffect, useState } from 'react'

const steps = [1, 1.5, 2, 3, 4]

export interface Zoom {
  /** Scale of the picture. With scale 1, the picture fits into the window. */
  scale: number
  closer: () => void
  further: () => void
  fit: () => void
  canGoCloser: boolean
  canGoFurther: boolean
}

/** Zoom in steps, with buttons or the keys +, - and 0. */
export function useZoom(): Zoom {
  const [index, setIndex] = useState(0)
  const closer = useCallback(() => setIndex((step) => Math.min(step + 1, steps.length - 1)), [])
  const further = useCallback(() => setIndex((step) => Math.max(step - 1, 0)), [])
  const fit = useCallback(() => setIndex(0), [])

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === '+' || event.key === '=') closer()
      else if (event.key === '-') further()
      else if (event.key === '0') fit()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [closer, further, fit])

  return {
    scale: steps[index] ?? 1,
    closer,
    further,
    fit,
    canGoCloser: index < steps.length - 1,
    canGoFurther: index > 0,
  }
}
