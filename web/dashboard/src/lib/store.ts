import { useSyncExternalStore } from 'react'

/** Creates a value that several components share. When the value changes, these components are rendered again. */
export function createStore<Value>(initial: Value) {
  let value = initial
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const get = () => value
  return {
    get,
    set(next: Value) {
      value = next
      listeners.forEach((listener) => listener())
    },
    use: () => useSyncExternalStore(subscribe, get),
  }
}
