/** What would be lost when the page is left. Whoever holds it says so here; one guard asks for all, because a router has one blocker. */
import { useEffect, useEffectEvent } from 'react'
import type { useBlocker } from 'react-router'
import { createStore } from './store'

/** A move within the app. */
export type Move = Parameters<Extract<Parameters<typeof useBlocker>[0], (...given: never[]) => unknown>>[0]

interface Held {
  /** What would be lost, as a sentence. */
  text: string
  leaves: (move: Move) => boolean
}

const all = createStore<readonly Held[]>([])

export const useAllUnsaved = () => all.use()

/** Holds something unsaved while `text` says what it is. @param leaves whether a move within the app loses it */
export function useUnsaved(text: string | undefined, leaves: (move: Move) => boolean) {
  const isLost = useEffectEvent((move: Move) => leaves(move))
  useEffect(() => {
    if (text === undefined) return
    const held = { text, leaves: (move: Move) => isLost(move) }
    all.set([...all.get(), held])
    return () => all.set(all.get().filter((other) => other !== held))
  }, [text])
}
