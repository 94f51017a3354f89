import { TextAreaField, TextField } from '@/components/form/fields'
import { FormSection, Pair } from '@/components/form/FormSection'
import { FormShell } from '@/components/form/FormShell'
import { useEntryForm, useStoredDraft } from '@/lib/forms/use-entry-form'
import { corporateForm } from './corporate-form'

const intro = 'Tell us a little about your company, and what you would like to know.'

export default function CorporateForm() {
  const stored = useStoredDraft(corporateForm)
  const entry = useEntryForm(corporateForm, stored)
  return (
    <FormShell spec={corporateForm} entry={entry} submit="Send Enquiry" submitting="Sending...">
      <FormSection id="enquiry" title={corporateForm.title} hint={intro}>
        <TextField name="company" label="Company" autoComplete="organization" />
        <TextField name="name" label="Contact name" autoComplete="name" />
        <Pair>
          <TextField name="email" label="E-mail" type="email" autoComplete="email" />
          <TextField name="phone" label="Phone" optional type="tel" autoComplete="tel" />
        </Pair>
        <TextField
          name="people"
          label="How many people would join"
          optional
          inputMode="numeric"
          className="[&_input]:max-w-32"
        />
        <TextAreaField name="message" label="Message" rows={4} />
      </FormSection>
    </FormShell>
  )
}
