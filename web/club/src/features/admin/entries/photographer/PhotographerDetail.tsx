import { entrantFacts, parentFacts, recordFacts, teacherFacts } from '../detail/facts'
import { Section } from '../detail/Section'
import type { PhotographerEntry } from '../entry'

export function PhotographerDetail({ entry }: { entry: PhotographerEntry }) {
  const { row } = entry
  return (
    <>
      <Section
        title="Photograph"
        facts={[
          ['Photo title', row.photo_title],
          ['Description', row.photo_description],
          ['Location taken', row.location_taken],
          ['Camera equipment', row.camera_equipment],
          ['Auxiliary lens used', row.auxiliary_lens_used],
          ['Image edited', row.image_edited],
        ]}
      />
      <Section title="Entrant" facts={[...entrantFacts(row), ['Publicity consent', row.publicity_consent]]} />
      <Section title="Teacher" facts={teacherFacts(row)} />
      <Section title="Parent or guardian" facts={parentFacts(row)} />
      <Section title="Record" facts={recordFacts(entry)} />
    </>
  )
}
