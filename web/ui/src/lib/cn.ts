import { clsx, type ClassValue } from 'clsx'
import { extendTailwindMerge } from 'tailwind-merge'

/**
 * The text sizes of the theme. Without this list, tailwind-merge takes `text-h2` for a colour, and removes it if the element also has a text colour.
 */
const merge = extendTailwindMerge({
  extend: { theme: { text: ['hero', 'title', 'h1', 'h2', 'h3', 'lede', 'small', 'floor'] } },
})

/** Joins class names. If two classes set the same property, only the later one is kept. */
export function cn(...classes: ClassValue[]) {
  return merge(clsx(classes))
}
