import { ArtistCard } from './artist/ArtistCard'
import { CitizenCard } from './citizen/CitizenCard'
import type { CardProps } from './card-props'
import type { Entry } from './entry'
import { MusicianCard } from './musician/MusicianCard'
import { PhotographerCard } from './photographer/PhotographerCard'

/** The card of whichever award the entry belongs to. */
export function EntryCard({ entry, ...props }: CardProps<Entry>) {
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
}
