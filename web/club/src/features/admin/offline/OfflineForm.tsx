import { zodResolver } from '@hookform/resolvers/zod'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { FormProvider, useForm, type FieldErrors } from 'react-hook-form'
import type { z } from 'zod'
import { SelectField, TextAreaField, TextField } from '@/components/form/fields'
import { messageOf } from '@/lib/errors'
import { forgetUnsaved, keepUnsaved, readUnsaved } from '@/lib/unsaved-input'
import { Button } from '@cloch/ui/components/button'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { schoolsQuery } from '../schools/queries/list-schools'
import { awardNames, awards } from '../shared/award'
import { limits } from '../shared/rules'
import { offlineQuery } from './queries/list-counts'
import { saveCount } from './queries/save-count'
import { missing, offlineSchema, type OfflineInput, type OfflineValues } from './rules'

const keptName = 'offline count'
const empty: OfflineValues = { school_id: '', category: '', count: '', notes: '' }
const categories = awards.map((award) => ({ value: award, label: awardNames[award].short }))

/** Sets how many entries of a school came on paper. */
export function OfflineForm() {
  const queries = useQueryClient()
  const { data: schools = [] } = useQuery(schoolsQuery)
  const form = useForm<OfflineValues, unknown, OfflineInput>({
    resolver: zodResolver(offlineSchema as unknown as z.ZodType<OfflineInput, OfflineValues>),
    defaultValues: { ...empty, ...(readUnsaved(keptName) as Partial<OfflineValues> | undefined) },
  })
  useEffect(
    () => form.subscribe({ formState: { values: true }, callback: ({ values }) => keepUnsaved(keptName, values) }),
    [form],
  )
  const save = useMutation({
    mutationFn: async (input: OfflineInput) => saveCount(input, await queries.query({ ...offlineQuery, staleTime: 'static' })),
    onSuccess: () => {
      notifySuccess({ title: 'Success', description: 'Offline submission count saved' })
      form.reset(empty)
      forgetUnsaved(keptName)
    },
    onError: (error) => notifyError({ title: 'Error', description: messageOf(error) }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['offline'] }),
  })
  const refuse = (errors: FieldErrors<OfflineValues>) =>
    notifyError({ title: 'Error', description: firstMessage(errors) ?? missing })

  return (
    <FormProvider {...form}>
      <form
        noValidate
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void form.handleSubmit((input) => save.mutate(input), refuse)()
        }}
      >
        <SelectField name="school_id" label="School" options={schools.map(({ id, name }) => ({ value: id, label: name }))} />
        <SelectField name="category" label="Category" options={categories} />
        <TextField name="count" label="Number of entries" inputMode="numeric" />
        <TextAreaField name="notes" label="Notes" optional rows={2} maxLength={limits.notes} />
        <Button type="submit" className="justify-self-start" disabled={save.isPending} aria-busy={save.isPending}>
          {save.isPending ? 'Saving...' : 'Save'}
        </Button>
      </form>
    </FormProvider>
  )
}

function firstMessage(errors: FieldErrors<OfflineValues>): string | undefined {
  return (errors.school_id ?? errors.category ?? errors.count ?? errors.notes)?.message
}
