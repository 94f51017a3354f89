import { useEffect, useRef } from 'react'
import type { EditorHandle } from './editor-core'

interface EditorProps {
  /** The script that is shown at first. To show another script, call the handle. */
  script: { id: string; text: string }
  onChange: (text: string) => void
  onRun: () => void
  onReady: (editor: EditorHandle | undefined) => void
}

/** The SQL editor. Its code is fetched when the page opens. Its styles are in a shadow tree, where the content security policy allows them. */
export function Editor({ script, onChange, onRun, onReady }: EditorProps) {
  const frame = useRef<HTMLDivElement>(null)
  const latest = useRef({ script, onChange, onRun, onReady })
  useEffect(() => {
    latest.current = { script, onChange, onRun, onReady }
  })
  useEffect(() => {
    let [made, isGone]: [EditorHandle | undefined, boolean] = [undefined, false]
    void import('./editor-core').then(({ createEditor }) => {
      if (isGone || !frame.current) return
      made = createEditor(frame.current, latest.current.script, {
        onChange: (next) => latest.current.onChange(next),
        onRun: () => latest.current.onRun(),
      })
      latest.current.onReady(made)
    })
    return () => {
      isGone = true
      made?.destroy()
      latest.current.onReady(undefined)
    }
  }, [])
  return (
    <div
      ref={frame}
      className="h-full min-h-0 overflow-hidden rounded border-[1.5px] border-input bg-card focus-within:border-ring"
    />
  )
}
