import { zodResolver } from '@hookform/resolvers/zod'
import { useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useForm, type DefaultValues, type FieldValues, type UseFormReturn } from 'react-hook-form'
import type { z } from 'zod'
import { messageOf } from '@/lib/errors'
import { forgetUnsaved, keepUnsaved, readUnsaved } from '@/lib/unsaved-input'
import { notifyError, notifySuccess, type Dismiss } from '@cloch/ui/lib/notify'
import { StaleError, type Stamped } from './stale'

/** The properties of a form that differ between the kinds of records. */
export interface RecordFormSpec<Row extends Stamped, Values extends FieldValues, Input> {
  /** The kind of record. Unsaved input is stored under this name. */
  name: string
  schema: z.ZodType<Input, Values>
  /** A record as form values; without a record, the values for a new one. */
  toValues: (row: Row | undefined) => Values
  /** Saves the record. Without `base`, creates a new record; otherwise changes `base`. */
  save: (input: Input, base: Row | undefined) => Promise<void>
  saved: { added: string; updated: string }
  /** Returns the message for an error. */
  failed: (error: unknown, adding: boolean) => string
  /** Query keys of the data that must be read again after the record was saved. */
  stale: readonly QueryKey[]
}

export interface RecordForm<Row extends Stamped, Values extends FieldValues, Input> {
  form: UseFormReturn<Values, unknown, Input>
  submit: () => void
  saving: boolean
  /** Whether the form shows unsaved input from an earlier visit. */
  isRestored: boolean
  /** Discards the unsaved input. */
  discard: () => void
  /** If another admin has saved the record meanwhile: that admin's version, or null if the record was deleted. Undefined if there is no conflict. */
  conflict: Row | null | undefined
  /** The version of the other admin, as form values. */
  theirs: Values | undefined
  /** The record before the changes of both admins, as form values. */
  before: Values | undefined
  /** Replaces the form's values by the version of the other admin. */
  takeTheirs: () => void
  /** Saves the form's values, and so overwrites the version of the other admin. */
  keepMine: () => void
}

/** A form for one record. The user's unsaved input is stored, and changes of another admin are detected, so neither is lost. */
export function useRecordForm<Row extends Stamped, Values extends FieldValues, Input>(
  spec: RecordFormSpec<Row, Values, Input>,
  row: Row | undefined,
  onDone: () => void,
): RecordForm<Row, Values, Input> {
  const queries = useQueryClient()
  const name = `${spec.name}:${row?.id ?? 'new'}`
  const [kept, setKept] = useState(() => readUnsaved(name) as Kept<Row, Values> | undefined)
  // The unsaved input was typed for an older version of the record. If another admin has changed the record since, this is a conflict.
  const base = useRef(kept?.base ?? row)
  const failure = useRef<Dismiss>(undefined)
  const [conflict, setConflict] = useState<Row | null>()
  const [before, setBefore] = useState<Values>()
  const form = useForm<Values, unknown, Input>({
    resolver: zodResolver<Values, unknown, Input>(spec.schema),
    defaultValues: spec.toValues(kept?.base ?? row) as DefaultValues<Values>,
  })
  const isDone = useRef(false)
  useKeeping(form, kept, (values) => {
    if (isDone.current || isSame(values, spec.toValues(base.current))) forgetUnsaved(name)
    else keepUnsaved(name, { base: base.current, values })
  })

  const store = async (input: Input) => {
    const adding = base.current === undefined
    failure.current?.()
    try {
      await spec.save(input, base.current)
      setConflict(undefined)
      isDone.current = true
      forgetUnsaved(name)
      notifySuccess({ title: 'Success', description: adding ? spec.saved.added : spec.saved.updated })
      onDone()
    } catch (error) {
      if (error instanceof StaleError) {
        setBefore(spec.toValues(base.current))
        setConflict(error.current as Row | null)
      } else failure.current = notifyError({ title: 'Error', description: spec.failed(error, adding) })
    } finally {
      for (const queryKey of spec.stale) void queries.invalidateQueries({ queryKey })
    }
  }
  const submit = () => void form.handleSubmit(store)()

  return {
    form,
    submit,
    saving: form.formState.isSubmitting,
    isRestored: kept !== undefined,
    discard: () => {
      forgetUnsaved(name)
      setKept(undefined)
      base.current = row
      form.reset(spec.toValues(row))
    },
    conflict,
    theirs: conflict ? spec.toValues(conflict) : undefined,
    before,
    takeTheirs: () => {
      if (!conflict) return
      base.current = conflict
      form.reset(spec.toValues(conflict))
      setConflict(undefined)
    },
    keepMine: () => {
      // If the record was deleted, saving creates it again.
      base.current = conflict ?? undefined
      submit()
    },
  }
}

interface Kept<Row, Values> {
  base: Row | undefined
  values: Values
}

/** Restores unsaved input of an earlier visit. From then on, stores the input while the user types. */
function useKeeping<Row, Values extends FieldValues, Input>(
  form: UseFormReturn<Values, unknown, Input>,
  kept: Kept<Row, Values> | undefined,
  onChange: (values: Values) => void,
) {
  const [first] = useState(kept)
  const latest = useRef(onChange)
  useEffect(() => {
    latest.current = onChange
  })
  useEffect(() => {
    if (first) form.reset(first.values, { keepDefaultValues: true })
  }, [form, first])
  useEffect(() => form.subscribe({ formState: { values: true }, callback: ({ values }) => latest.current(values) }), [form])
}

function isSame(values: FieldValues, others: FieldValues): boolean {
  return Object.entries(others).every(([name, value]) => JSON.stringify(values[name] ?? '') === JSON.stringify(value ?? ''))
}

/** Returns a function that gives the message of an error, or `fallback` if the error has no message. */
export function orFallback(fallback: string) {
  return (error: unknown) => messageOf(error, fallback)
}
