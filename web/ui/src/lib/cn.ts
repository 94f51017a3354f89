import { clsx, type ClassValue } from 'clsx'
import { extendTailwindMerge } from 'tailwind-merge'

/** The theme's own text sizes: without them tailwind-merge takes `text-h2` for a colour and drops one of the two. */
const merge = extendTailwindMerge({
  extend: { theme: { text: ['hero', 'title', 'h1', 'h2', 'h3', 'lede', 'small', 'floor'] } },
})

/** Joins class names; of two that set the same property the later one wins. */
export function cn(...classes: ClassValue[]) {
  return merge(clsx(classes))
}
