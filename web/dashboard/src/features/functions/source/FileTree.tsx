import { ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { Badge } from '@cloch/ui/components/badge'
import { cn } from '@cloch/ui/lib/cn'
import type { Edits } from './edits'
import { treeOf, type Folder } from './file-tree'

interface FileTreeProps {
  paths: readonly string[]
  /** Paths of the deployed files. */
  known: readonly string[]
  edits: Edits
  chosen: string
  onChoose: (path: string) => void
}

/** The function's files in their folders. Changed files are marked. */
export function FileTree({ paths, ...rest }: FileTreeProps) {
  const tree = treeOf(paths)
  return (
    <ul aria-label="Files" className="min-w-0 text-small">
      <Entries folder={tree} {...rest} />
    </ul>
  )
}

type Rest = Omit<FileTreeProps, 'paths'>

function Entries({ folder, ...rest }: Rest & { folder: Folder }) {
  return (
    <>
      {folder.folders.map((one) => (
        <Branch key={one.path} folder={one} {...rest} />
      ))}
      {folder.files.map((file) => (
        <File key={file.path} {...file} {...rest} />
      ))}
    </>
  )
}

function Branch({ folder, ...rest }: Rest & { folder: Folder }) {
  const [isOpen, setOpen] = useState(true)
  const id = useId()
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        className="flex min-h-8 w-full min-w-0 items-center gap-1 rounded text-left hover:bg-accent pointer-coarse:min-h-11"
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronRight aria-hidden className={cn('shrink-0', isOpen && 'rotate-90')} />
        <span className="min-w-0 break-words">{folder.name}</span>
      </button>
      <ul id={id} hidden={!isOpen} className="pl-4">
        <Entries folder={folder} {...rest} />
      </ul>
    </li>
  )
}

function File({ name, path, known, edits, chosen, onChoose }: Rest & { name: string; path: string }) {
  const edited = edits[path]
  const word = edited === undefined ? undefined : edited === null ? 'removed' : known.includes(path) ? 'changed' : 'new'
  return (
    <li>
      <button
        type="button"
        aria-current={path === chosen ? 'true' : undefined}
        title={path}
        className={cn(
          'flex min-h-8 w-full min-w-0 items-center gap-2 rounded border-l-6 border-transparent px-2 text-left hover:bg-accent pointer-coarse:min-h-11',
          path === chosen && 'border-foreground bg-secondary font-strong',
        )}
        onClick={() => onChoose(path)}
      >
        <span className={cn('min-w-0 break-words', edited === null && 'line-through')}>{name}</span>
        {word !== undefined && <Badge tone={word === 'removed' ? 'destructive' : 'heather'}>{word}</Badge>}
      </button>
    </li>
  )
}
