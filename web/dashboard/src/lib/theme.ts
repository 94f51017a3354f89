import { useSyncExternalStore } from 'react'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** Key in localStorage for the operator's choice. */
const key = 'cloch.theme'
const dark = () => window.matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

/** The theme that the operator has chosen. Without a choice, it is the system's theme. */
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

/** Applies the theme to the page. Applies it again when the system's theme changes. */
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
