import { useState, type SyntheticEvent } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { TextField } from '@/components/fields'
import { newPathProblem } from './edits'

interface NewFileProps {
  /** The folder that contains the entrypoint. Most files are in this folder. */
  folder: string
  taken: readonly string[]
  onAdd: (path: string) => void
  onClose: () => void
}

export function NewFile({ folder, taken, onAdd, onClose }: NewFileProps) {
  const [path, setPath] = useState(folder === '' ? '' : `${folder}/`)
  const [problem, setProblem] = useState<string>()
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    const found = newPathProblem(path.trim(), taken)
    setProblem(found)
    if (found === undefined) onAdd(path.trim())
  }
  return (
    <Dialog title="New file" onClose={onClose} className="sm:w-[min(30rem,calc(100vw-2rem))] max-sm:m-auto max-sm:h-fit">
      <form className="grid gap-4" onSubmit={submit}>
        <TextField
          label="Path"
          value={path}
          onChange={setPath}
          error={problem}
          controlClassName="font-mono"
          spellCheck={false}
          autoComplete="off"
          data-first-field
        />
        <Button type="submit" size="compact" className="justify-self-start">
          Add the file
        </Button>
      </form>
    </Dialog>
  )
}
