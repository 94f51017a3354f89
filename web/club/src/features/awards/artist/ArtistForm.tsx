import { RadioField, TextAreaField, TextField } from '@/components/form/fields'
import { FormSection, Pair } from '@/components/form/FormSection'
import { UploadField } from '@/components/form/UploadField'
import { season } from '@/content/awards'
import { pictures } from '@/lib/upload/rules'
import { AwardForm } from '../page/AwardForm'
import { agreeOrDisagree, intermediateOrSenior, pronouns } from '../page/options'
import { artistForm } from './artist-form'

const categories = [{ value: 'junior', label: 'Junior, under 10' }, ...intermediateOrSenior]

export default function ArtistForm() {
  return (
    <AwardForm
      spec={artistForm}
      files={{ form: 'artist', accepted: pictures, named: 'entrantName' }}
      submit="Submit Entry"
      done={{
        title: 'Thank you. Your work is with us.',
        text: 'Your entry to the Young Artist Awards has reached the club. Please keep the original safe: we may ask to see it.',
        again: 'Make another entry',
      }}
    >
      {(uploads) => (
        <>
          <Entrant />
          <FormSection id="nominee" number={2} title="The nominee" hint="The person we write to about this entry.">
            <Pair>
              <TextField name="nomineeName" label="Nominee’s name" autoComplete="off" />
              <TextField name="nomineeEmail" label="Nominee’s e-mail" type="email" autoComplete="off" />
            </Pair>
          </FormSection>
          <FormSection id="work" number={3} title="The work">
            <TextAreaField
              name="themeDescription"
              label="How your work relates to the theme, Happiness in Nature"
              hint="A few sentences; at least 10 characters."
            />
          </FormSection>
          <FormSection id="files" number={4} title="Files" optional>
            <UploadField
              name="uploadedFiles"
              uploads={uploads}
              accepted={pictures}
              hint="A photograph of your work, taken in daylight."
            />
          </FormSection>
          <Guardian />
        </>
      )}
    </AwardForm>
  )
}

function Entrant() {
  return (
    <FormSection id="entrant" number={1} title="The entrant">
      <TextField name="entrantName" label="Entrant’s full name" autoComplete="off" />
      <TextField
        name="age"
        label="Age"
        hint={`From 5 to 17, counted as at ${season.ageDate}.`}
        inputMode="numeric"
        className="[&_input]:max-w-32"
      />
      <RadioField name="pronoun" label="Preferred pronouns" options={pronouns} />
      <TextField
        name="organisation"
        label="School, college or community organisation"
        hint="Write “private entry” if you enter by yourself."
        autoComplete="off"
      />
      <RadioField
        name="category"
        label="Category"
        hint={`By the age on ${season.ageDate}. Anyone who is 10 may choose junior or intermediate.`}
        options={categories}
      />
    </FormSection>
  )
}

function Guardian() {
  return (
    <FormSection
      id="guardian"
      number={5}
      title="Parent or guardian"
      hint="For anyone under 18 we write to the parent or guardian only."
    >
      <Pair>
        <TextField name="parentGuardianName" label="Parent or guardian’s name" autoComplete="off" />
        <TextField name="parentGuardianEmail" label="Parent or guardian’s e-mail" type="email" autoComplete="off" />
      </Pair>
      <RadioField
        name="publicityConsent"
        label="Name and picture in publicity"
        hint="You may leave this open; we then use neither without asking you."
        options={agreeOrDisagree}
      />
    </FormSection>
  )
}
