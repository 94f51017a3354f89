import { useEffect, useEffectEvent, useState, type ComponentProps } from 'react'
import { TextField } from './fields'

/** Milliseconds without a letter after which the address follows. */
const restMs = 150

/**
 * A field whose text is in the address. The field itself has each letter at once, and the address follows when typing rests: it changes later than
 * the field, and a letter typed meanwhile would be lost.
 */
export function AddressField({ value, onChange, ...field }: ComponentProps<typeof TextField>) {
  const [text, setText] = useState(value)
  const [seen, setSeen] = useState(value)
  const [sent, setSent] = useState(value)
  if (value !== seen) {
    setSeen(value)
    // Not what was typed here: a link, or the back button.
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
