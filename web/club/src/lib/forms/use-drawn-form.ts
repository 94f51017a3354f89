import { useEffect, useEffectEvent, useInsertionEffect, useRef, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { useHydrated } from '@/lib/use-hydrated'
import { readDraft, type Draft } from './draft'
import type { FormSpec, FormValues } from './form-spec'

/**
 * For a form that was drawn at build time, without answers, and is hydrated as it stands. Afterwards it gets what was typed before the
 * program was there, and the draft of an earlier visit. What was typed replaces the draft's answer.
 */
export function useDrawnForm<Values extends FormValues, Entry>(
  spec: FormSpec<Values, Entry>,
  form: UseFormReturn<Values, unknown, Entry>,
  onDraft: (found: Draft<Values>, isChanged: boolean) => void,
) {
  const [wasDrawn] = useState(!useHydrated())
  const typed = useRef<Partial<Values>>({})
  // Insertion effects run before the fields' refs are set, when react-hook-form writes its own values into the fields.
  useInsertionEffect(() => {
    if (wasDrawn) typed.current = takeAnswers(spec)
  }, [wasDrawn, spec])
  const complete = useEffectEvent(() => {
    const found = readDraft(spec.name, spec.empty)
    // The visitor can type between the commit and this effect.
    const changed = { ...typed.current, ...answersOf(form.getValues(), spec.empty) }
    const isChanged = Object.keys(changed).length > 0
    if (!found && !isChanged) return
    form.reset({ ...spec.empty, ...found?.values, ...changed }, { keepFieldsRef: true })
    if (found) onDraft(found, isChanged)
  })
  useEffect(() => {
    if (wasDrawn) complete()
  }, [wasDrawn])
}

/** The answers in the fields of a drawn form. A choice that was drawn is not a default any more, for react-hook-form would prefer it. */
function takeAnswers<Values extends FormValues>({ name, empty }: { name: string; empty: Values }): Partial<Values> {
  const drawn = document.querySelector<HTMLFormElement>(`form[data-form="${name}"]`)
  if (!drawn) return {}
  const answers = answersOf(Object.fromEntries(new FormData(drawn)), empty)
  for (const chosen of drawn.querySelectorAll<HTMLInputElement>('input[checked]')) chosen.defaultChecked = false
  return answers
}

/** The values that differ from those of the empty form. */
function answersOf<Values extends FormValues>(values: Record<string, unknown>, empty: Values): Partial<Values> {
  const answers = Object.entries(values).filter(([field, value]) => value !== undefined && value !== '' && value !== empty[field])
  return Object.fromEntries(answers) as Partial<Values>
}
