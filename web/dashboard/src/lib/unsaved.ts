/** Registry of unsaved input. Components register their input here, and one guard asks before it is lost, because a router has only one blocker. */
import { useEffect, useEffectEvent } from 'react'
import type { useBlocker } from 'react-router'
import { createStore } from './store'

/** A navigation within the app. */
export type Move = Parameters<Extract<Parameters<typeof useBlocker>[0], (...given: never[]) => unknown>>[0]

interface Held {
  /** Sentence that says what would be lost. */
  text: string
  leaves: (move: Move) => boolean
}

const all = createStore<readonly Held[]>([])

export const useAllUnsaved = () => all.use()

/** Registers unsaved input while `text` is set. @param leaves whether a navigation within the app loses it */
export function useUnsaved(text: string | undefined, leaves: (move: Move) => boolean) {
  const isLost = useEffectEvent((move: Move) => leaves(move))
  useEffect(() => {
    if (text === undefined) return
    const held = { text, leaves: (move: Move) => isLost(move) }
    all.set([...all.get(), held])
    return () => all.set(all.get().filter((other) => other !== held))
  }, [text])
}
