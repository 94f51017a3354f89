import { entrantFacts, parentFacts, recordFacts, teacherFacts } from '../detail/facts'
import { Section } from '../detail/Section'
import { isVocal, type MusicianEntry } from '../entry'

export function MusicianDetail({ entry }: { entry: MusicianEntry }) {
  const { row } = entry
  return (
    <>
      <Section title="Entrant" facts={entrantFacts(row)} />
      <Section
        title="Performance"
        facts={[
          [isVocal(row) ? 'Voice type' : 'Instrument', row.instrument],
          ['Piece title', row.piece_title],
          ['Composer', row.composer],
          ['Duration', row.piece_duration],
          ['Music selections', row.music_selections?.join('\n')],
          ['Accompanist required', row.accompanist_required ? 'Yes' : 'No'],
          ['Accompanist name', row.accompanist_name],
        ]}
      />
      <Section title="Teacher" facts={teacherFacts(row)} />
      <Section title="Parent or guardian" facts={parentFacts(row)} />
      <Section
        title="Special requirements and consent"
        facts={[
          ['Special requirements', row.special_requirements],
          ['Publicity consent', row.publicity_consent],
          ['Signature', row.signature],
        ]}
      />
      <Section title="Record" facts={recordFacts(entry)} />
    </>
  )
}
