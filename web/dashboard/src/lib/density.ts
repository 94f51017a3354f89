import { createStore } from './store'

export type Density = 'comfortable' | 'compact'

/** Where this browser keeps a person's choice. */
const key = 'cloch.density'
const chosen = createStore<Density>('comfortable')

/** Puts the chosen height of rows on the page. The style sheet does the rest (`compact.css`). */
function apply(density: Density) {
  document.documentElement.dataset.density = density
  chosen.set(density)
}

export function chooseDensity(density: Density) {
  if (density === 'compact') localStorage.setItem(key, density)
  else localStorage.removeItem(key)
  apply(density)
}

/** Applies the choice of an earlier visit. */
export function followDensity() {
  apply(localStorage.getItem(key) === 'compact' ? 'compact' : 'comfortable')
}

export const useDensity = () => chosen.use()
