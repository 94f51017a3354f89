import { clsx, type ClassValue } from 'clsx'
import { extendTailwindMerge } from 'tailwind-merge'

/** The theme's text sizes: without this list, tailwind-merge treats `text-h2` as a colour and drops one of the two. */
const merge = extendTailwindMerge({
  extend: { theme: { text: ['hero', 'title', 'h1', 'h2', 'h3', 'lede', 'small', 'floor'] } },
})

/** Joins class names. Of two that set the same property, the later one is kept. */
export function cn(...classes: ClassValue[]) {
  return merge(clsx(classes))
}
