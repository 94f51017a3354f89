import { emailLink, phoneLink } from '../../shared/contact-links'
import { recordFacts, parentFacts } from '../detail/facts'
import { Section } from '../detail/Section'
import type { CitizenEntry } from '../entry'

export function CitizenDetail({ entry }: { entry: CitizenEntry }) {
  const { row } = entry
  return (
    <>
      <Section
        title="Nominee"
        facts={[
          ['Name', row.nominee_name],
          ['Age', row.nominee_age],
          ['Type', row.nomination_type],
          ['Email', emailLink(row.nominee_email)],
          ['Phone', phoneLink(row.nominee_phone)],
        ]}
      />
      <Section
        title="Nominator"
        facts={[
          ['Name', row.nominator_name],
          ['Relationship', row.nominator_relationship],
          ['Email', emailLink(row.nominator_email)],
          ['Phone', phoneLink(row.nominator_phone)],
        ]}
      />
      <Section title="Parent or guardian" facts={parentFacts(row)} />
      <Section
        title="Nomination"
        facts={[
          ['Key achievement', row.key_achievement],
          ['Community impact', row.community_impact],
          ['Why deserving', row.why_deserving],
          ['Publicity consent', row.publicity_consent],
        ]}
      />
      <Section title="Record" facts={recordFacts(entry)} />
    </>
  )
}
