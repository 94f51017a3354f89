import type { Database } from '@/lib/database.types'
import { slug } from '@/lib/upload/paths'
import type { Award } from '../shared/award'

/** Files that were sent after an entry, or without an entry. */
export interface ExtraFiles {
  id: string
  kind: 'additional' | 'music'
  /** The name that the sender typed. If there is none, the name of the folder. */
  name: string
  organisation: string | null
  information: string | null
  bucket: string
  files: string[]
  createdAt: string
}

type Row = Database['public']['Tables']['extra_files']['Row']

const buckets = { additional: 'youth-awards-submissions', music: 'music-uploads' }

export function fromRow(row: Row): ExtraFiles {
  const kind = row.kind === 'music' ? 'music' : 'additional'
  return {
    id: row.id,
    kind,
    name: row.entrant_name,
    organisation: row.organisation,
    information: row.additional_info,
    bucket: buckets[kind],
    files: row.uploaded_files,
    createdAt: row.created_at,
  }
}

/** Groups recordings by folder if the database has no row for them. The name of the folder is that of a nominee. */
export function fromRecordings(files: readonly { name: string; created_at: string }[]): ExtraFiles[] {
  const folders = new Map<string, ExtraFiles>()
  for (const { name: path, created_at } of files) {
    const folder = path.slice(0, path.indexOf('/'))
    const known = folders.get(folder)
    if (known) known.files.push(path)
    else {
      folders.set(folder, {
        id: `folder:${folder}`,
        kind: 'music',
        name: folder.replaceAll('-', ' '),
        organisation: null,
        information: null,
        bucket: buckets.music,
        files: [path],
        createdAt: created_at,
      })
    }
  }
  return [...folders.values()]
}

interface Named {
  award: Award
  name: string
}

/** Whether files belong to an entry. This is decided by the names. Recordings belong only to entries of the musician award. */
export function belongsTo(files: ExtraFiles, entry: Named): boolean {
  return slug(files.name) === slug(entry.name) && (files.kind === 'additional' || entry.award === 'musician')
}
