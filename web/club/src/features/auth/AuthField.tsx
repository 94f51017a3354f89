import type { ComponentProps } from 'react'
import { Field } from '@/components/form/Field'
import { Input } from '@cloch/ui/components/input'

interface AuthFieldProps extends Omit<ComponentProps<typeof Input>, 'onChange' | 'value'> {
  name: string
  label: string
  value: string
  onValue: (value: string) => void
  error?: string | undefined
}

/** A required field of the sign-in forms. If it is empty, the browser itself shows the message. */
export function AuthField({ name, label, value, onValue, error, ...props }: AuthFieldProps) {
  return (
    <Field name={name} label={label} error={error}>
      {(control) => (
        <Input {...control} name={name} required value={value} onChange={(event) => onValue(event.target.value)} {...props} />
      )}
    </Field>
  )
}
