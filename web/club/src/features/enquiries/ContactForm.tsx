import { TextAreaField, TextField } from '@/components/form/fields'
import { FormSection } from '@/components/form/FormSection'
import { FormShell } from '@/components/form/FormShell'
import { useEntryForm, useStoredDraft } from '@/lib/forms/use-entry-form'
import { contactForm } from './contact-form'

const specs = { contact: contactForm('contact'), 'get-involved': contactForm('get-involved') }

interface ContactFormProps {
  /** Selects one of the two forms. Each form has its own draft. */
  form: keyof typeof specs
  /** Hint below the form's title. It is also the placeholder of the message field. */
  description: string
  submit?: string
}

/** A form that sends a message to the club. After the message was sent, the form is empty again. */
export default function ContactForm({ form, description, submit = 'Submit Form' }: ContactFormProps) {
  const spec = specs[form]
  const stored = useStoredDraft(spec)
  const entry = useEntryForm(spec, stored)
  return (
    <FormShell spec={spec} entry={entry} submit={submit} submitting="Sending...">
      <FormSection id="contact-form" title={spec.title} hint={description}>
        <TextField name="name" label="Name" autoComplete="name" />
        <TextField name="email" label="E-mail" type="email" autoComplete="email" />
        <TextField
          name="phone"
          label="Phone"
          hint="If you'd like a call back about your question, please provide your number here."
          optional
          type="tel"
          autoComplete="tel"
        />
        <TextAreaField name="message" label="Message" rows={4} placeholder={description} />
      </FormSection>
    </FormShell>
  )
}
