import type { ComponentProps } from 'react'
import { useFormContext } from 'react-hook-form'
import { useHydrated } from '@/lib/use-hydrated'
import { Input } from '@cloch/ui/components/input'
import { NativeSelect } from '@cloch/ui/components/native-select'
import { Radio } from '@cloch/ui/components/radio'
import { Textarea } from '@cloch/ui/components/textarea'
import { cn } from '@cloch/ui/lib/cn'
import {
  describedBy,
  errorMessage,
  Field,
  FieldError,
  fieldClass,
  FieldHint,
  fieldId,
  Optional,
  type FieldTexts,
} from './Field'

/** Fields of a react-hook-form form. Each field gets its value and its error by name from the surrounding form. */

export interface Option {
  value: string
  label: string
}

/** Returns the message for a field with an error. */
export function useFieldError(name: string): string | undefined {
  const { formState } = useFormContext()
  return errorMessage(formState.errors, name)
}

type TextFieldProps = FieldTexts & Omit<ComponentProps<typeof Input>, keyof FieldTexts>

export function TextField({ name, label, hint, optional, className, ...props }: TextFieldProps) {
  const { register } = useFormContext()
  return (
    <Field {...{ name, label, hint, optional, className }} error={useFieldError(name)}>
      {(control) => <Input {...control} {...register(name)} {...props} />}
    </Field>
  )
}

type TextAreaFieldProps = FieldTexts & Omit<ComponentProps<typeof Textarea>, keyof FieldTexts>

export function TextAreaField({ name, label, hint, optional, className, ...props }: TextAreaFieldProps) {
  const { register } = useFormContext()
  return (
    <Field {...{ name, label, hint, optional, className }} error={useFieldError(name)}>
      {(control) => <Textarea {...control} {...register(name)} {...props} />}
    </Field>
  )
}

interface ChoiceProps extends FieldTexts {
  options: readonly Option[]
}

export function SelectField({ name, label, hint, optional, className, options }: ChoiceProps) {
  const { register } = useFormContext()
  return (
    <Field {...{ name, label, hint, optional, className }} error={useFieldError(name)}>
      {(control) => (
        <NativeSelect {...control} {...register(name)}>
          <option value="">Please choose</option>
          {options.map(({ value, label: text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </NativeSelect>
      )}
    </Field>
  )
}

/** A choice between a few answers, each in a box that is large enough for a thumb. The first box has the id of the field. */
export function RadioField({ name, label, hint, optional, className, options }: ChoiceProps) {
  const { register, getValues } = useFormContext()
  // In a page rendered at build time, the HTML attributes select the answer. After hydration, react-hook-form does.
  const isDrawn = !useHydrated()
  const error = useFieldError(name)
  const id = fieldId(name)
  return (
    <fieldset aria-describedby={describedBy(id, hint, error)} className={cn('min-w-0', fieldClass(error), className)}>
      <legend className="float-left w-full font-strong">
        {label}
        {optional ? <Optional /> : null}
      </legend>
      <FieldHint id={id} hint={hint} />
      <FieldError id={id} error={error} />
      <div className="mt-0.5 flex flex-wrap gap-3">
        {options.map(({ value, label: text }, index) => (
          <label
            key={value}
            className="flex min-h-[3.125rem] flex-[1_1_12rem] cursor-pointer items-center gap-3 rounded border-[1.5px] border-input bg-card py-2 pr-4 pl-3.5 has-checked:border-primary has-checked:bg-secondary has-checked:font-strong has-checked:shadow-[inset_0_0_0_1.5px_var(--primary)]"
          >
            <Radio
              id={index === 0 ? id : undefined}
              value={value}
              aria-invalid={error !== undefined}
              defaultChecked={isDrawn && getValues(name) === value ? true : undefined}
              {...register(name)}
            />
            <span className="text-balance">{text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
