import { ArtistDetail } from '../artist/ArtistDetail'
import { CitizenDetail } from '../citizen/CitizenDetail'
import type { Entry } from '../entry'
import { MusicianDetail } from '../musician/MusicianDetail'
import { PhotographerDetail } from '../photographer/PhotographerDetail'

/** The details of an entry, for all awards. */
export function EntryDetail({ entry }: { entry: Entry }) {
  switch (entry.award) {
    case 'citizen':
      return <CitizenDetail entry={entry} />
    case 'musician':
      return <MusicianDetail entry={entry} />
    case 'photographer':
      return <PhotographerDetail entry={entry} />
    case 'artist':
      return <ArtistDetail entry={entry} />
  }
}
