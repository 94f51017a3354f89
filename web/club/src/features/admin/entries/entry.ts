import type { Database } from '@/lib/database.types'
import type { Award } from '../shared/award'

type Tables = Database['public']['Tables']

interface JoinedSchool {
  schools: { id: string; name: string } | null
}

export type CitizenRow = Tables['young_citizen_nominations']['Row'] & JoinedSchool
export type MusicianRow = Tables['young_musician_entries']['Row'] & JoinedSchool
export type PhotographerRow = Tables['young_photographer_entries']['Row'] & JoinedSchool
export type ArtistRow = Tables['young_artist_entries']['Row'] & JoinedSchool

/** Fields that the entries of all awards have. */
interface Common<A extends Award, Row> {
  award: A
  id: string
  /** Name of the nominee or the entrant. */
  name: string
  school: { id: string; name: string } | undefined
  createdAt: string
  updatedAt: string
  /** Time of the withdrawal; null if the entry is not withdrawn. */
  withdrawnAt: string | null
  /** Paths in the bucket of award files. */
  files: string[]
  row: Row
}

export type CitizenEntry = Common<'citizen', CitizenRow>
export type MusicianEntry = Common<'musician', MusicianRow>
export type PhotographerEntry = Common<'photographer', PhotographerRow>
export type ArtistEntry = Common<'artist', ArtistRow>
export type Entry = CitizenEntry | MusicianEntry | PhotographerEntry | ArtistEntry

type AnyRow = CitizenRow | MusicianRow | PhotographerRow | ArtistRow

/** Extracts the fields that all awards have in common from a row. */
export function toEntry<A extends Award, Row extends AnyRow>(award: A, row: Row): Common<A, Row> {
  return {
    award,
    id: row.id,
    name: 'entrant_name' in row ? row.entrant_name : row.nominee_name,
    school: row.schools ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    withdrawnAt: row.withdrawn_at,
    files: row.uploaded_files ?? [],
    row,
  }
}

/** Whether the category is vocal; otherwise it is instrumental. The name of the category contains one of these two words. */
export function isVocal(row: { category: string }): boolean {
  return row.category.toLowerCase().includes('vocal')
}
