import { useWatch } from 'react-hook-form'
import { RadioField, TextAreaField, TextField } from '@/components/form/fields'
import { FormSection, Pair } from '@/components/form/FormSection'
import { UploadField } from '@/components/form/UploadField'
import { season } from '@/content/awards'
import { picturesAndText } from '@/lib/upload/rules'
import { AwardForm } from '../page/AwardForm'
import { GuardianFields } from '../page/fields'
import { isGroup, nomineeTitle, type CitizenValues } from './citizen-entry'
import { citizenForm } from './citizen-form'

export default function CitizenForm() {
  return (
    <AwardForm
      spec={citizenForm}
      files={{ form: 'young-citizen', accepted: picturesAndText, named: 'nomineeName' }}
      submit="Submit Nomination"
      done={{
        title: 'Thank you for speaking up for somebody',
        text: 'Your nomination has reached the club, and we will review it carefully. You do not have to do anything else.',
        again: 'Make another nomination',
      }}
    >
      {(uploads) => (
        <>
          <Nominee />
          <Guardian />
          <Nominator />
          <Reasons />
          <FormSection id="evidence" number={5} title="Supporting evidence" optional>
            <UploadField
              name="uploadedFiles"
              uploads={uploads}
              accepted={picturesAndText}
              hint="A photograph, a letter, a newspaper page."
            />
          </FormSection>
        </>
      )}
    </AwardForm>
  )
}

function useGroup(): boolean {
  return isGroup({ nominationType: useWatch<CitizenValues>({ name: 'nominationType' }) })
}

function Nominee() {
  const group = useGroup()
  return (
    <FormSection id="nominee" number={1} title={nomineeTitle(group)}>
      <RadioField
        name="nominationType"
        label="Nomination Type"
        options={[
          { value: 'individual', label: 'Individual' },
          { value: 'group', label: 'Group' },
        ]}
      />
      <TextField name="nomineeName" label={group ? 'Name of the group' : 'Nominee’s full name'} autoComplete="off" />
      <TextField
        name="age"
        label={group ? 'Age of the oldest member' : 'Age'}
        hint={`From 11 to 18. The award honours young people under 25, but the competition that this form feeds takes ages 11 to 18, counted on ${season.ageDate}.`}
        inputMode="numeric"
        className="[&_input]:max-w-32"
      />
      <Pair>
        <TextField
          name="nomineeEmail"
          label={group ? 'E-mail of the group' : 'Nominee’s e-mail'}
          hint="Only if they are 18."
          optional
          type="email"
          autoComplete="off"
        />
        <TextField
          name="nomineePhone"
          label={group ? 'Phone of the group' : 'Nominee’s phone'}
          hint="Only if they are 18."
          optional
          type="tel"
          autoComplete="off"
        />
      </Pair>
    </FormSection>
  )
}

function Guardian() {
  return (
    <GuardianFields number={2}>
      <Pair>
        <TextField name="parentEmail" label="Parent or guardian’s e-mail" type="email" autoComplete="off" />
        <TextField name="parentPhone" label="Parent or guardian’s phone" optional type="tel" autoComplete="off" />
      </Pair>
    </GuardianFields>
  )
}

function Nominator() {
  return (
    <FormSection id="nominator" number={3} title="About you" hint="You are the nominator: we may ask you a question.">
      <TextField name="nominatorName" label="Your name" autoComplete="name" />
      <Pair>
        <TextField name="nominatorEmail" label="Your e-mail" type="email" autoComplete="email" />
        <TextField name="nominatorPhone" label="Your phone" optional type="tel" autoComplete="tel" />
      </Pair>
      <TextField
        name="relationship"
        label="How you know them"
        hint="Teacher, neighbour, coach, friend of the family."
        optional
      />
    </FormSection>
  )
}

function Reasons() {
  const whom = useGroup() ? 'the group' : 'the nominee'
  return (
    <FormSection id="reasons" number={4} title="The reasons">
      <TextAreaField
        name="achievement"
        label="Key achievement"
        hint={`The one thing that ${whom} did that you want us to know.`}
      />
      <TextAreaField name="communityImpact" label="Community impact" hint="Who is better off because of it?" optional />
      <TextAreaField name="whyDeserving" label={`Why ${whom} deserves the award`} />
    </FormSection>
  )
}
