import { useEffect } from 'react'

/** Pixels between a header and the message beneath it. */
const gap = 12

/**
 * Keeps `--notices-top` below the page's header, its tabs and the head of an open window (what bears `data-above-notices`), as far as
 * they are in view: on a phone a message reaches from edge to edge and would lie over their buttons.
 */
export function useNoticesTop(isWanted: boolean) {
  useEffect(() => {
    if (!isWanted) return
    const root = document.documentElement
    const place = () => {
      const parts = [...document.querySelectorAll('[data-above-notices]')]
      const bottoms = parts.map((part) => part.getBoundingClientRect()).filter(({ top }) => top < innerHeight / 2)
      root.style.setProperty('--notices-top', `${Math.max(0, ...bottoms.map(({ bottom }) => bottom)) + gap}px`)
    }
    place()
    // Windows open and close as children of the body; headers change their height with their words.
    const windows = new MutationObserver(place)
    windows.observe(document.body, { childList: true })
    const heights = new ResizeObserver(place)
    document.querySelectorAll('[data-above-notices]').forEach((part) => heights.observe(part))
    addEventListener('scroll', place, { passive: true })
    addEventListener('resize', place)
    return () => {
      windows.disconnect()
      heights.disconnect()
      removeEventListener('scroll', place)
      removeEventListener('resize', place)
      root.style.removeProperty('--notices-top')
    }
  }, [isWanted])
}
