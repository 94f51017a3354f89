import { useEffect } from 'react'

/** Pixels between a header and the message below it. */
const gap = 12

/**
 * Keeps messages below the visible elements that have the attribute `data-above-notices` (the page's header, its tabs, the heading with its buttons,
 * the header of an open dialog), so that messages do not cover their buttons. The position is in the CSS variable `--notices-top`.
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
    const heights = new ResizeObserver(place)
    const follow = () => {
      const parts = [...document.querySelectorAll('[data-above-notices]')]
      heights.disconnect()
      parts.forEach((part) => heights.observe(part))
      place()
    }
    // The position is computed again when the page changes: dialogs, tabs and headings appear and disappear, and headers change their height together
    // with their text.
    let frame = 0
    const changes = new MutationObserver(() => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(follow)
    })
    follow()
    changes.observe(document.body, { childList: true, subtree: true })
    addEventListener('scroll', place, { passive: true })
    addEventListener('resize', place)
    return () => {
      changes.disconnect()
      cancelAnimationFrame(frame)
      heights.disconnect()
      removeEventListener('scroll', place)
      removeEventListener('resize', place)
      root.style.removeProperty('--notices-top')
    }
  }, [isWanted])
}
