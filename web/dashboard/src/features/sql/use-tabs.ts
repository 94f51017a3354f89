import { useEffect, useRef, useState } from 'react'
import { notifyError } from '@/lib/notify'
import { closeTab, openTab, readTabs, setText, showScript, writeTabs } from './tabs'

/** Milliseconds without a keystroke after which the texts are stored. */
const quietMs = 300

/**
 * The tabs of an operator. If another page has passed a text, a tab is added for it. The tabs are stored when typing pauses, and when the user leaves
 * the page.
 */
export function useTabs(operator: string, given?: string) {
  const [first] = useState(() => {
    const kept = readTabs(operator)
    const tabs = given === undefined ? kept : showScript(kept, given)
    return { tabs, isFull: given !== undefined && tabs === kept }
  })
  const [tabs, setTabs] = useState(first.tabs)
  useEffect(() => {
    if (first.isFull) notifyError('All tabs are in use', new Error('Close one, then open the statement again.'))
  }, [first])
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
