import { createStore } from './store'

export type Density = 'comfortable' | 'compact'

/** Key in localStorage for the operator's choice. */
const key = 'cloch.density'
const chosen = createStore<Density>('comfortable')

/** Stores the row height in an attribute of the document, which the style sheet (`compact.css`) uses. */
function apply(density: Density) {
  document.documentElement.dataset.density = density
  chosen.set(density)
}

export function chooseDensity(density: Density) {
  if (density === 'compact') localStorage.setItem(key, density)
  else localStorage.removeItem(key)
  apply(density)
}

/** Applies the choice that the operator made during an earlier visit. */
export function followDensity() {
  apply(localStorage.getItem(key) === 'compact' ? 'compact' : 'comfortable')
}

export const useDensity = () => chosen.use()
