import { useEffect, useEffectEvent, useState, type ComponentProps } from 'react'
import { TextField } from './fields'

/** Milliseconds without a keystroke after which the URL is updated. */
const restMs = 150

/**
 * A text field whose value is kept in the URL. The field has its own state for each keystroke, and the URL is updated when typing pauses: the router
 * updates the URL with a delay, so letters typed in between would otherwise be lost.
 */
export function AddressField({ value, onChange, ...field }: ComponentProps<typeof TextField>) {
  const [text, setText] = useState(value)
  const [seen, setSeen] = useState(value)
  const [sent, setSent] = useState(value)
  if (value !== seen) {
    setSeen(value)
    // The value was not typed in this field: a link or the Back button changed the URL.
    if (value !== sent) {
      setSent(value)
      setText(value)
    }
  }
  const send = useEffectEvent(() => {
    if (text === sent) return
    setSent(text)
    onChange(text)
  })
  useEffect(() => {
    const timer = window.setTimeout(send, restMs)
    return () => window.clearTimeout(timer)
  }, [text])
  return <TextField {...field} value={text} onChange={setText} />
}
