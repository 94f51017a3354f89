import { zodResolver } from '@hookform/resolvers/zod'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { FormProvider, useForm, useWatch, type FieldErrors, type UseFormReturn } from 'react-hook-form'
import type { z } from 'zod'
import { SelectField, TextAreaField, TextField } from '@/components/form/fields'
import { messageOf } from '@/lib/errors'
import { forgetUnsaved, keepUnsaved, readUnsaved } from '@/lib/unsaved-input'
import { Button } from '@cloch/ui/components/button'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { schoolsQuery } from '../schools/queries/list-schools'
import { isOf, useShownSeason } from '../seasons/season-view'
import { awardNames, awards } from '../shared/award'
import { offlineQuery, type OfflineCount } from './queries/list-counts'
import { saveCount } from './queries/save-count'
import { missing, offlineSchema, type OfflineInput, type OfflineValues } from './rules'

const keptName = 'offline count'
const empty: OfflineValues = { school_id: '', category: '', count: '', notes: '' }
const categories = awards.map((award) => ({ value: award, label: awardNames[award].short }))

/** Form that sets the number of entries on paper for a school and an award. */
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
  const { data: counts } = useQuery(offlineQuery)
  const shown = useShownSeason()
  // Counts of earlier seasons are left out, because a new count replaces them. The totals of the earlier season still contain them.
  const ofSeason = useMemo(() => (counts ?? []).filter(({ created_at }) => isOf(shown, created_at)), [counts, shown])
  const now = useShownCount(form, ofSeason)
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
        {now ? (
          <p role="status" className="rounded bg-secondary px-4 py-2.5">
            The count is {now.count} at present. What you save replaces it and its notes.
          </p>
        ) : null}
        <TextField name="count" label="Number of entries" inputMode="numeric" />
        <TextAreaField name="notes" label="Notes" optional rows={2} />
        <Button type="submit" className="justify-self-start" disabled={save.isPending} aria-busy={save.isPending}>
          {save.isPending ? 'Saving...' : 'Save'}
        </Button>
      </form>
    </FormProvider>
  )
}

/**
 * @returns the stored count for the chosen school and category. The count is also written into the form, unless the user has typed a number there.
 */
function useShownCount(form: UseFormReturn<OfflineValues, unknown, OfflineInput>, counts: readonly OfflineCount[]) {
  const [school, category] = useWatch({ control: form.control, name: ['school_id', 'category'] })
  const now = counts.find((count) => count.school_id === school && count.category === category)
  const shown = useRef({ count: '', notes: '' })
  useEffect(() => {
    const stored = { count: String(now?.count ?? ''), notes: now?.notes ?? '' }
    for (const name of ['count', 'notes'] as const) {
      const typed = form.getValues(name)
      // A number that the user typed is kept. A number that was shown for another school or category is replaced.
      const isTyped = typed !== '' && typed !== shown.current[name]
      if (!isTyped && typed !== stored[name]) form.setValue(name, stored[name])
    }
    shown.current = stored
  }, [form, now])
  return now
}

function firstMessage(errors: FieldErrors<OfflineValues>): string | undefined {
  return (errors.school_id ?? errors.category ?? errors.count ?? errors.notes)?.message
}
