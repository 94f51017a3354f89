import { entrantFacts, parentFacts, recordFacts, teacherFacts } from '../detail/facts'
import { Section } from '../detail/Section'
import type { ArtistEntry } from '../entry'

export function ArtistDetail({ entry }: { entry: ArtistEntry }) {
  const { row } = entry
  return (
    <>
      <Section
        title="Artwork"
        facts={[
          ['Artwork title', row.artwork_title],
          ['Medium', row.medium],
          ['Description', row.artwork_description],
          ['Inspiration', row.inspiration],
        ]}
      />
      <Section
        title="Entrant"
        facts={[...entrantFacts(row), ['Nominee', row.nominee_name], ['Publicity consent', row.publicity_consent]]}
      />
      <Section title="Teacher" facts={teacherFacts(row)} />
      <Section title="Parent or guardian" facts={parentFacts(row)} />
      <Section title="Record" facts={recordFacts(entry)} />
    </>
  )
}
