import { useEffect, useRef, useState } from 'react'
import { closeTab, openTab, readTabs, setText, writeTabs } from './tabs'

/** Milliseconds without a key after which the texts are stored. */
const quietMs = 300

/** The tabs of an operator. They are stored while somebody types, and when the page is left. */
export function useTabs(operator: string) {
  const [tabs, setTabs] = useState(() => readTabs(operator))
  const latest = useRef(tabs)
  useEffect(() => {
    latest.current = tabs
    const timer = window.setTimeout(() => writeTabs(operator, tabs), quietMs)
    return () => window.clearTimeout(timer)
  }, [operator, tabs])
  useEffect(() => {
    const store = () => writeTabs(operator, latest.current)
    addEventListener('pagehide', store)
    return () => {
      removeEventListener('pagehide', store)
      store()
    }
  }, [operator])
  const active = tabs.tabs.find(({ id }) => id === tabs.active)
  return {
    ...tabs,
    text: active?.text ?? '',
    setText: (text: string) => setTabs((before) => setText(before, text)),
    choose: (id: string) => setTabs((before) => ({ ...before, active: id })),
    open: (text?: string) => setTabs((before) => openTab(before, text)),
    close: (id: string) => setTabs((before) => closeTab(before, id)),
  }
}
