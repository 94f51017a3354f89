import { useEffect, useEffectEvent, useInsertionEffect, useRef, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { useHydrated } from '@/lib/use-hydrated'
import { placeCaret, readCaret, type Caret } from './caret'
import { readDraft, type Draft } from './draft'
import type { FormSpec, FormValues } from './form-spec'

/**
 * For a form that was rendered at build time, without answers. After the hydration, the form gets the answers that the visitor typed before the
 * hydration, and the draft of an earlier visit. If both contain an answer for a field, the typed answer is used. The caret keeps its position.
 * If an empty field with the focus gets a kept answer, the answer is selected.
 */
export function useDrawnForm<Values extends FormValues, Entry>(
  spec: FormSpec<Values, Entry>,
  form: UseFormReturn<Values, unknown, Entry>,
  onDraft: (found: Draft<Values>, isChanged: boolean) => void,
) {
  const [wasDrawn] = useState(!useHydrated())
  const typed = useRef<Partial<Values>>({})
  const caret = useRef<Caret>(undefined)
  // React runs insertion effects before it sets the refs of the fields. At that moment react-hook-form writes its own values into the fields, so
  // the answers must be read earlier, in this effect.
  useInsertionEffect(() => {
    if (!wasDrawn) return
    const drawn = document.querySelector<HTMLFormElement>(`form[data-form="${spec.name}"]`)
    if (!drawn) return
    caret.current = readCaret(drawn)
    typed.current = takeAnswers(drawn, spec.empty)
  }, [wasDrawn, spec])
  const complete = useEffectEvent(() => {
    const found = readDraft(spec.name, spec.empty)
    // The visitor can also type between React's commit and this effect.
    const changed = { ...typed.current, ...answersOf(form.getValues(), spec.empty) }
    const isChanged = Object.keys(changed).length > 0
    if (!found && !isChanged) return
    form.reset({ ...spec.empty, ...found?.values, ...changed }, { keepFieldsRef: true })
    if (caret.current) placeCaret(caret.current)
    if (found) onDraft(found, isChanged)
  })
  useEffect(() => {
    if (wasDrawn) complete()
  }, [wasDrawn])
}

/**
 * Reads the answers from the fields of a form that was rendered at build time. Radio buttons that were selected in the HTML lose their `checked`
 * default, because react-hook-form would prefer it to the answer.
 */
function takeAnswers<Values extends FormValues>(drawn: HTMLFormElement, empty: Values): Partial<Values> {
  const answers = answersOf(Object.fromEntries(new FormData(drawn)), empty)
  for (const chosen of drawn.querySelectorAll<HTMLInputElement>('input[checked]')) chosen.defaultChecked = false
  return answers
}

/** Returns the values that differ from those of an empty form. */
function answersOf<Values extends FormValues>(values: Record<string, unknown>, empty: Values): Partial<Values> {
  const answers = Object.entries(values).filter(
    ([field, value]) => value !== undefined && value !== '' && value !== empty[field],
  )
  return Object.fromEntries(answers) as Partial<Values>
}
