import { zodResolver } from '@hookform/resolvers/zod'
import { useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useForm, type DefaultValues, type FieldValues, type UseFormReturn } from 'react-hook-form'
import type { z } from 'zod'
import { messageOf } from '@/lib/errors'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { StaleError, type Stamped } from './stale'

/** What makes the form of one kind of record differ from another. */
export interface RecordFormSpec<Row extends Stamped, Values extends FieldValues, Input> {
  schema: z.ZodType<Input, Values>
  /** A record as the form's controls hold it; without one, the form for a new record. */
  toValues: (row: Row | undefined) => Values
  /** Saves the record: a new one without `base`, else a change of `base`. */
  save: (input: Input, base: Row | undefined) => Promise<void>
  saved: { added: string; updated: string }
  /** The message for a failure. */
  failed: (error: unknown, adding: boolean) => string
  /** What has to be read again afterwards. */
  stale: readonly QueryKey[]
}

export interface RecordForm<Row extends Stamped, Values extends FieldValues, Input> {
  form: UseFormReturn<Values, unknown, Input>
  submit: () => void
  saving: boolean
  /** The record as somebody else has left it meanwhile; null if it was deleted; undefined if all is well. */
  conflict: Row | null | undefined
  /** The other's version as the form would hold it. */
  theirs: Values | undefined
  /** Puts the other's version into the form. */
  takeTheirs: () => void
  /** Saves what is in the form over the other's version. */
  keepMine: () => void
}

/** A form for one record that loses nothing: neither what is typed nor what somebody else has saved meanwhile. */
export function useRecordForm<Row extends Stamped, Values extends FieldValues, Input>(
  spec: RecordFormSpec<Row, Values, Input>,
  row: Row | undefined,
  onDone: () => void,
): RecordForm<Row, Values, Input> {
  const queries = useQueryClient()
  const base = useRef(row)
  const [conflict, setConflict] = useState<Row | null>()
  const form = useForm<Values, unknown, Input>({
    resolver: zodResolver<Values, unknown, Input>(spec.schema),
    defaultValues: spec.toValues(row) as DefaultValues<Values>,
  })

  const store = async (input: Input) => {
    const adding = base.current === undefined
    try {
      await spec.save(input, base.current)
      setConflict(undefined)
      notifySuccess({ title: 'Success', description: adding ? spec.saved.added : spec.saved.updated })
      onDone()
    } catch (error) {
      if (error instanceof StaleError) setConflict(error.current as Row | null)
      else notifyError({ title: 'Error', description: spec.failed(error, adding) })
    } finally {
      for (const queryKey of spec.stale) void queries.invalidateQueries({ queryKey })
    }
  }
  const submit = () => void form.handleSubmit(store)()

  return {
    form,
    submit,
    saving: form.formState.isSubmitting,
    conflict,
    theirs: conflict ? spec.toValues(conflict) : undefined,
    takeTheirs: () => {
      if (!conflict) return
      base.current = conflict
      form.reset(spec.toValues(conflict))
      setConflict(undefined)
    },
    keepMine: () => {
      // A record that is gone is made anew.
      base.current = conflict ?? undefined
      submit()
    },
  }
}

/** The message of an error, or what is said without one. */
export function orFallback(fallback: string) {
  return (error: unknown) => messageOf(error, fallback)
}
