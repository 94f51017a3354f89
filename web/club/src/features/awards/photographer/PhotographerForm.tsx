import { RadioField, TextAreaField, TextField } from '@/components/form/fields'
import { FormSection, Pair } from '@/components/form/FormSection'
import { UploadField } from '@/components/form/UploadField'
import { pictures } from '@/lib/upload/rules'
import { AwardForm } from '../page/AwardForm'
import { EntrantFields, GuardianFields } from '../page/fields'
import { agreeOrDisagree, intermediateOrSenior, yesOrNo } from '../page/options'
import { photographerForm } from './photographer-form'

export default function PhotographerForm() {
  return (
    <AwardForm
      spec={photographerForm}
      // The files of both picture awards are in the folder `artist`.
      files={{ form: 'artist', accepted: pictures, named: 'entrantName' }}
      submit="Submit Entry"
      done={{
        title: 'Thank you. Your picture is with us.',
        text: 'Your entry to the Young Photographer Awards has reached the club. We will be in touch soon.',
        again: 'Make another entry',
      }}
    >
      {(uploads) => (
        <>
          <EntrantFields ages={{ from: 11, to: 17 }} pronouns="preferredPronoun" categories={intermediateOrSenior} />
          <Picture />
          <FormSection id="files" number={3} title="Files" optional>
            <UploadField
              name="uploadedFiles"
              uploads={uploads}
              accepted={pictures}
              hint="Your photograph at its full size, if it is small enough."
            />
          </FormSection>
          <Contacts />
        </>
      )}
    </AwardForm>
  )
}

function Picture() {
  return (
    <FormSection id="picture" number={2} title="The picture">
      <TextField name="workTitle" label="Title of the picture" optional autoComplete="off" />
      <TextField name="cameraModel" label="Camera or device" hint="Make and model. A phone counts." autoComplete="off" />
      <RadioField name="auxiliaryLensUsed" label="Did you use an auxiliary lens or filters?" options={yesOrNo} />
      <RadioField name="imageEdited" label="Has the image been edited with software?" options={yesOrNo} />
      <TextAreaField
        name="themeDescription"
        label="How the picture relates to the theme"
        hint="A few sentences; at least 10 characters."
      />
    </FormSection>
  )
}

function Contacts() {
  return (
    <>
      <FormSection id="nominator" number={4} title="Nominator" hint="The teacher, leader or family member who sends this form.">
        <Pair>
          <TextField name="nominatorName" label="Nominator’s name" autoComplete="name" />
          <TextField name="nominatorEmail" label="Nominator’s e-mail" type="email" autoComplete="email" />
        </Pair>
      </FormSection>
      <GuardianFields number={5}>
        <Pair>
          <TextField name="parentGuardianEmail" label="Parent or guardian’s e-mail" type="email" autoComplete="off" />
          <TextField name="parentGuardianPhone" label="Parent or guardian’s phone" type="tel" autoComplete="off" />
        </Pair>
        <RadioField name="publicityConsent" label="Name and picture in publicity" options={agreeOrDisagree} />
      </GuardianFields>
    </>
  )
}
