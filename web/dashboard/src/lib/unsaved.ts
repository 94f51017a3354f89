/** What would be lost when the page is left. Whoever holds it says so here; one guard asks for all, because a router has one blocker. */
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import type { useBlocker } from 'react-router'

/** A move within the app. */
export type Move = Parameters<Extract<Parameters<typeof useBlocker>[0], (...given: never[]) => unknown>>[0]

interface Held {
  /** What would be lost, as a sentence. */
  text: string
  leaves: (move: Move) => boolean
}

let all: readonly Held[] = []
const listeners = new Set<() => void>()

function set(next: readonly Held[]) {
  all = next
  listeners.forEach((listener) => listener())
}

export const useAllUnsaved = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => all,
  )

/** Holds something unsaved while `text` says what it is. @param leaves whether a move within the app loses it */
export function useUnsaved(text: string | undefined, leaves: (move: Move) => boolean) {
  const isLost = useEffectEvent((move: Move) => leaves(move))
  useEffect(() => {
    if (text === undefined) return
    const held = { text, leaves: (move: Move) => isLost(move) }
    set([...all, held])
    return () => set(all.filter((other) => other !== held))
  }, [text])
}
