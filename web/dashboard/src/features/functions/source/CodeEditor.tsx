import { useEffect, useRef, useState } from 'react'
import type { CodeHandle } from './code-editor-core'
import { offsetOf, type Place } from './module-error'

/** An error at a position in the shown file. */
export interface Mark {
  place: Place
  message: string
}

interface CodeEditorProps {
  path: string
  text: string
  isReadOnly: boolean
  mark: Mark | undefined
  onChange: (path: string, text: string) => void
}

/** A file with syntax highlighting, read-only or editable. The editor's code is fetched when it is first rendered. */
export function CodeEditor({ path, text, isReadOnly, mark, onChange }: CodeEditorProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [editor, setEditor] = useState<CodeHandle>()
  const latest = useRef({ path, text, isReadOnly, onChange })
  useEffect(() => {
    latest.current = { path, text, isReadOnly, onChange }
  })
  useEffect(() => {
    let [made, isGone]: [CodeHandle | undefined, boolean] = [undefined, false]
    void import('./code-editor-core').then(({ createCodeEditor }) => {
      if (isGone || !frame.current) return
      made = createCodeEditor(frame.current, latest.current, {
        isReadOnly: latest.current.isReadOnly,
        onChange: (at, next) => latest.current.onChange(at, next),
      })
      setEditor(made)
    })
    return () => {
      isGone = true
      made?.destroy()
      setEditor(undefined)
    }
  }, [])
  useEffect(() => editor?.show(path, text), [editor, path, text])
  useEffect(() => editor?.setReadOnly(isReadOnly), [editor, isReadOnly])
  useEffect(() => {
    if (editor && mark?.place.file === path) editor.goToError(offsetOf(latest.current.text, mark.place), mark.message)
  }, [editor, mark, path])
  return (
    <div
      ref={frame}
      className="h-[min(38rem,70vh)] min-h-60 overflow-hidden rounded border-[1.5px] border-input bg-card focus-within:border-ring"
    />
  )
}
