import type { ReactNode } from 'react'
import { RadioField, TextField, type Option } from '@/components/form/fields'
import { FormSection } from '@/components/form/FormSection'
import { season } from '@/content/awards'
import { pronouns } from './options'

/** Field for the entrant's age on the reference date of the season. */
export function AgeField({ from, to }: { from: number; to: number }) {
  return (
    <TextField
      name="age"
      label="Age"
      hint={`From ${from} to ${to}, counted as at ${season.ageDate}.`}
      inputMode="numeric"
      className="[&_input]:max-w-32"
    />
  )
}

interface EntrantFieldsProps {
  ages: { from: number; to: number }
  /** The name of the field for pronouns. It is different in the two awards. */
  pronouns: string
  categories: Option[]
  /** Additional hint about the category. */
  categoryHint?: string
}

/** The first part of the forms of the two picture awards. */
export function EntrantFields({ ages, pronouns: pronounField, categories, categoryHint = '' }: EntrantFieldsProps) {
  return (
    <FormSection id="entrant" number={1} title="The entrant">
      <TextField name="entrantName" label="Entrant’s full name" autoComplete="off" />
      <AgeField {...ages} />
      <RadioField name={pronounField} label="Preferred pronouns" options={pronouns} />
      <TextField
        name="organisation"
        label="School, college or community organisation"
        hint="Write “private entry” if you enter by yourself."
        autoComplete="off"
      />
      <RadioField
        name="category"
        label="Category"
        hint={`By the age on ${season.ageDate}.${categoryHint}`}
        options={categories}
      />
    </FormSection>
  )
}

/** The part about the parent or guardian. `children` are its fields, which differ between the awards. */
export function GuardianFields({ number, children }: { number: number; children: ReactNode }) {
  return (
    <FormSection
      id="guardian"
      number={number}
      title="Parent or guardian"
      hint="For anyone under 18 we write to the parent or guardian only."
    >
      {children}
    </FormSection>
  )
}
