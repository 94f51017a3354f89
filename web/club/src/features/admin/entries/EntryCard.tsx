import { memo } from 'react'
import { ArtistCard } from './artist/ArtistCard'
import { CitizenCard } from './citizen/CitizenCard'
import type { Entry } from './entry'
import { MusicianCard } from './musician/MusicianCard'
import { PhotographerCard } from './photographer/PhotographerCard'

interface EntryCardProps {
  entry: Entry
  /** Position of the entry within its group, counted from 1. */
  number: number
  onView: (id: string) => void
}

/** The card of an entry, for all awards. Only visible cards are rendered. */
export const EntryCard = memo(function EntryCard({ entry, number, onView }: EntryCardProps) {
  const props = { number, onView: () => onView(entry.id) }
  switch (entry.award) {
    case 'citizen':
      return <CitizenCard entry={entry} {...props} />
    case 'musician':
      return <MusicianCard entry={entry} {...props} />
    case 'photographer':
      return <PhotographerCard entry={entry} {...props} />
    case 'artist':
      return <ArtistCard entry={entry} {...props} />
  }
})
