import { useWatch } from 'react-hook-form'
import { RadioField, TextField } from '@/components/form/fields'
import { FormSection, Pair } from '@/components/form/FormSection'
import { UploadField } from '@/components/form/UploadField'
import { audioAndPapers } from '@/lib/upload/rules'
import { AwardForm } from '../page/AwardForm'
import { AgeField, GuardianFields } from '../page/fields'
import { agreeOrDisagree } from '../page/options'
import type { MusicianValues } from './musician-entry'
import { musicianForm } from './musician-form'

export default function MusicianForm() {
  return (
    <AwardForm
      spec={musicianForm}
      files={{ form: 'musician', accepted: audioAndPapers, named: 'entrantName' }}
      submit="Submit Application"
      done={{
        title: 'Thank you. We look forward to hearing you.',
        text: 'Your entry has reached the club, and we will be in touch with details. Recordings can still be sent on the page for music files.',
        again: 'Make another entry',
      }}
    >
      {(uploads) => (
        <>
          <Entrant />
          <Music />
          <Contacts />
          <FormSection id="recordings" number={5} title="Recordings and papers" optional>
            <UploadField
              name="uploadedFiles"
              uploads={uploads}
              accepted={audioAndPapers}
              hint="A recording, programme notes."
            />
          </FormSection>
          <Night />
        </>
      )}
    </AwardForm>
  )
}

function Entrant() {
  const vocal = useWatch<MusicianValues>({ name: 'performanceType' }) === 'vocal'
  return (
    <FormSection id="entrant" number={1} title="The entrant">
      <TextField name="entrantName" label="Full name" autoComplete="off" />
      <AgeField from={11} to={18} />
      <TextField name="schoolName" label="School" autoComplete="off" />
      <RadioField
        name="performanceType"
        label="Performance type"
        options={[
          { value: 'instrumental', label: 'Instrumental' },
          { value: 'vocal', label: 'Vocal' },
        ]}
      />
      <TextField
        name="instrument"
        label={vocal ? 'Voice type' : 'Instrument'}
        hint={vocal ? 'Soprano, alto, tenor, bass, or in your own words.' : 'Needed if you play.'}
        optional={vocal}
        autoComplete="off"
      />
    </FormSection>
  )
}

function Music() {
  return (
    <FormSection id="music" number={2} title="The music" hint="Up to three pieces. Give the title and the composer of each.">
      <TextField name="selection1" label="First piece" autoComplete="off" />
      <TextField name="selection2" label="Second piece" optional autoComplete="off" />
      <TextField name="selection3" label="Third piece" optional autoComplete="off" />
      <TextField name="accompanist" label="Accompanist’s name" hint="Leave empty if you play without one." optional />
    </FormSection>
  )
}

function Contacts() {
  return (
    <>
      <GuardianFields number={3}>
        <Pair>
          <TextField name="parentEmail" label="Parent or guardian’s e-mail" type="email" autoComplete="email" />
          <TextField name="parentTel" label="Parent or guardian’s telephone" type="tel" autoComplete="tel" />
        </Pair>
      </GuardianFields>
      <FormSection
        id="nominator"
        number={4}
        title="Nominator"
        optional
        hint="If a teacher or somebody else put the entrant forward."
      >
        <Pair>
          <TextField name="nominatorName" label="Nominator’s name" optional autoComplete="off" />
          <TextField name="nominatorEmail" label="Nominator’s e-mail" optional type="email" autoComplete="off" />
        </Pair>
      </FormSection>
    </>
  )
}

function Night() {
  return (
    <FormSection id="night" number={6} title="On the night">
      <Pair>
        <TextField name="allergies" label="Allergies" optional autoComplete="off" />
        <TextField name="accessibility" label="Accessibility" optional autoComplete="off" />
      </Pair>
      <RadioField
        name="consentPublicity"
        label="Name and picture in publicity"
        hint="You may leave this open; we then use neither without asking you."
        options={agreeOrDisagree}
      />
      <TextField
        name="signature"
        label="Signature"
        hint="Type the full name of the parent or guardian, or of the entrant if 18. Signing means agreeing to the privacy notice."
        autoComplete="off"
      />
    </FormSection>
  )
}
