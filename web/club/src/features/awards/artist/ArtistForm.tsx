import { RadioField, TextAreaField, TextField } from '@/components/form/fields'
import { FormSection, Pair } from '@/components/form/FormSection'
import { season } from '@/content/awards'
import { UploadField } from '@/components/form/UploadField'
import { pictures } from '@/lib/upload/rules'
import { AwardForm } from '../page/AwardForm'
import { EntrantFields, GuardianFields } from '../page/fields'
import { agreeOrDisagree, intermediateOrSenior } from '../page/options'
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
          <EntrantFields
            ages={{ from: 5, to: 17 }}
            pronouns="pronoun"
            categories={categories}
            categoryHint=" Anyone who is 10 may choose junior or intermediate."
          />
          <FormSection
            id="nominee"
            number={2}
            title="The nominee"
            hint="Who is put forward for the award: in most cases the entrant."
          >
            <Pair>
              <TextField name="nomineeName" label="Nominee’s name" autoComplete="off" />
              <TextField name="nomineeEmail" label="Nominee’s e-mail" type="email" autoComplete="off" />
            </Pair>
          </FormSection>
          <FormSection id="work" number={3} title="The work">
            <TextField name="workTitle" label="Title of the work" optional autoComplete="off" />
            <TextAreaField
              name="themeDescription"
              label={`How your work relates to the theme, ${season.theme}`}
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

function Guardian() {
  return (
    <GuardianFields number={5}>
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
    </GuardianFields>
  )
}
