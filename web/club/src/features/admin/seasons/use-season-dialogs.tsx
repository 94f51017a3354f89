import { useState } from 'react'
import type { Season } from './queries/list-seasons'
import { SeasonDeletion } from './SeasonDeletion'
import { SeasonForm } from './SeasonForm'

type Open = { kind: 'form'; season: Season | undefined } | { kind: 'deletion'; season: Season }

/** The dialogs about seasons, and the functions that open these dialogs. */
export function useSeasonDialogs() {
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  return {
    add: () => setOpen({ kind: 'form', season: undefined }),
    edit: (season: Season) => setOpen({ kind: 'form', season }),
    remove: (season: Season) => setOpen({ kind: 'deletion', season }),
    dialog:
      open?.kind === 'form' ? (
        <SeasonForm season={open.season} onClose={close} />
      ) : open ? (
        <SeasonDeletion season={open.season} onClose={close} />
      ) : null,
  }
}
