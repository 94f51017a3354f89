import { useEffect, useEffectEvent, useState, type ComponentProps } from 'react'
import { TextField } from './fields'

/** Milliseconds without a keystroke after which the URL is updated. */
const restMs = 150

/**
 * A text field whose value is kept in the URL. The router updates the URL with a delay; if the field showed the URL's value, letters typed during the
 * delay would be lost. Therefore the field has its own state, and the URL is updated when typing pauses.
 */
export function AddressField({ value, onChange, ...field }: ComponentProps<typeof TextField>) {
  const [text, setText] = useState(value)
  const [seen, setSeen] = useState(value)
  const [sent, setSent] = useState(value)
  if (value !== seen) {
    setSeen(value)
    // The value was not typed in this field: the URL was changed by a link or by the Back button.
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
