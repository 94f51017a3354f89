import { useSyncExternalStore } from 'react'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** Where this browser keeps a person's choice. */
const key = 'cloch.theme'
const dark = () => window.matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

/** What a person chose; the system decides while nothing is chosen. */
export function chosenTheme(): Theme {
  const stored = localStorage.getItem(key)
  return themes.find((theme) => theme === stored) ?? 'system'
}

function apply() {
  const theme = chosenTheme()
  const isDark = theme === 'dark' || (theme === 'system' && dark().matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
  listeners.forEach((listener) => listener())
}

export function chooseTheme(theme: Theme) {
  if (theme === 'system') localStorage.removeItem(key)
  else localStorage.setItem(key, theme)
  apply()
}

/** Puts the theme on the page and keeps it true while the system's changes. */
export function followTheme() {
  apply()
  dark().addEventListener('change', apply)
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, chosenTheme)
}
