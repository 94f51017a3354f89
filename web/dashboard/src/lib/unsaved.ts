/**
 * The list of unsaved inputs. A router can have only one blocker. Therefore components register their input here, and one component asks for
 * confirmation before it is lost.
 */
import { useEffect, useEffectEvent } from 'react'
import type { useBlocker } from 'react-router'
import { createStore } from './store'

/** A navigation within the app. */
export type Move = Parameters<Extract<Parameters<typeof useBlocker>[0], (...given: never[]) => unknown>>[0]

interface Held {
  /** A sentence about what would be lost. */
  text: string
  leaves: (move: Move) => boolean
}

const all = createStore<readonly Held[]>([])

export const useAllUnsaved = () => all.use()

/** Registers unsaved input while `text` is set. @param leaves whether the input is lost by a navigation within the app */
export function useUnsaved(text: string | undefined, leaves: (move: Move) => boolean) {
  const isLost = useEffectEvent((move: Move) => leaves(move))
  useEffect(() => {
    if (text === undefined) return
    const held = { text, leaves: (move: Move) => isLost(move) }
    all.set([...all.get(), held])
    return () => all.set(all.get().filter((other) => other !== held))
  }, [text])
}
