import { zodResolver } from '@hookform/resolvers/zod'
import { useEffect, useRef, useState } from 'react'
import { useForm, type FieldErrors, type UseFormReturn } from 'react-hook-form'
import { afterPointerUp, watchPresses } from '@/lib/after-pointer-up'
import { entryToken, forgetEntryToken, forgetTokensExcept } from '@/lib/entry-link'
import { forgetLateLink } from '@/lib/late-link'
import { newId } from '@/lib/new-id'
import { getContent } from '@/lib/site-content'
import type { Supabase } from '@/lib/supabase'
import { isUnsettled, storedFiles } from '@/lib/upload/queue'
import type { StoredFile } from '@/lib/upload/rules'
import type { Uploads } from '@/lib/upload/use-uploads'
import { clearNotices, notifyError, notifySuccess, prepareNotices, type Dismiss, type Notice } from '@cloch/ui/lib/notify'
import { useHydrated } from '@/lib/use-hydrated'
import { draftKeys, readDraft } from './draft'
import { ToldFailure, type FormSpec, type FormValues } from './form-spec'
import { firstFailed } from './rules'
import { useDraft, type DraftState } from './use-draft'
import { useDrawnForm } from './use-drawn-form'

export type Stage = 'filling' | 'submitting' | 'sent'

export interface EntryForm<Values extends FormValues, Entry> {
  form: UseFormReturn<Values, unknown, Entry>
  stage: Stage
  draft: DraftState
  /** Whether the draft contains the list of uploaded files. */
  keepsFiles: boolean
  /** Called when a field of the form first gets the focus. */
  prepare: () => void
  /** Validates the fields with errors again. */
  recheck: () => void
  submit: () => Promise<void>
  /** The token of the link to the entry that was sent. Undefined if the form's entries have no link. */
  entryLink: string | undefined
  /** Clears the form, so that another entry can be sent. */
  startAgain: () => void
}

const loadClient = () => import('@/lib/supabase')
const connect = async () => (await loadClient()).connectAsVisitor()

/**
 * Fetches the code for sending when a field first gets the focus. The code is large, so visitors who only read the page do not load it. If the
 * network is lost before the form is complete, the code has already been loaded.
 */
function prepare() {
  void loadClient().catch(() => undefined)
  void prepareNotices().catch(() => undefined)
}

/** Name of the form error that concerns the files. */
export const filesField = 'uploadedFiles'
const unsettled = 'Please wait until every file is uploaded, or remove the ones that are not.'

/**
 * Reads the draft of an earlier visit once, before the form is rendered. For a form that was rendered at build time, useDrawnForm reads the draft
 * after the hydration.
 */
export function useStoredDraft<Values extends FormValues, Entry>(spec: FormSpec<Values, Entry>) {
  const hydrated = useHydrated()
  const [stored] = useState(() => (hydrated ? readDraft(spec.name, spec.empty) : undefined))
  return stored
}

/**
 * A form whose input is never lost: while the user types, it is stored as a draft. However often the form is sent, only one record and one e-mail are
 * created. Order of the steps: validate, save the record, send the e-mail. If the record cannot be saved, no e-mail is sent. If the e-mail cannot be
 * sent, the record is kept.
 */
export function useEntryForm<Values extends FormValues, Entry>(
  spec: FormSpec<Values, Entry>,
  stored: ReturnType<typeof readDraft<Values>>,
  uploads?: Uploads,
): EntryForm<Values, Entry> {
  const files: StoredFile[] = uploads ? storedFiles(uploads.items) : []
  const form = useForm<Values, unknown, Entry>({
    resolver: zodResolver<Values, unknown, Entry>(spec.schema),
    // react-hook-form requires a deep partial of `Values`. TypeScript cannot check this here, because `Values` is generic.
    defaultValues: { ...(stored?.values ?? spec.empty) } as never,
    mode: 'onSubmit',
    // Fields are validated again by `recheck` instead, when no pointer button is pressed.
    reValidateMode: 'onSubmit',
    shouldFocusError: false,
  })
  const key = useRef(stored?.key ?? newId())
  const [stage, setStage] = useState<Stage>('filling')
  const [entryLink, setEntryLink] = useState<string>()
  const busy = useRef(false)
  const refusal = useRef<Dismiss>(undefined)
  useEffect(watchPresses, [])
  useEffect(() => {
    // If a draft was cleared, or replaced in another tab, its token remains when the response to sending it was lost. This deletes such tokens.
    const forgetLost = () => forgetTokensExcept(draftKeys())
    forgetLost()
    return forgetLost
  }, [])
  const draft = useDraft<Values>({
    name: spec.name,
    empty: spec.empty,
    form: form as never,
    files,
    key: () => key.current,
    savedAt: stored?.savedAt,
  })
  useDrawnForm(spec, form, (found, isChanged) => {
    key.current = found.key
    uploads?.reset(found.files)
    draft.adopt(found, isChanged)
  })

  const begin = () => {
    forgetEntryToken(key.current)
    key.current = newId()
    form.reset({ ...spec.empty })
    uploads?.reset()
    draft.forget()
  }

  const save = async (supabase: Supabase, entry: Entry, paths: string[]) => {
    if (!spec.save) return true
    try {
      await spec.save(supabase, entry, paths, key.current)
      return true
    } catch (error) {
      console.error('Saving failed', error)
      notifyError(error instanceof ToldFailure ? error.notice : (spec.messages.saveFailed ?? spec.messages.sendFailed))
      return false
    }
  }

  /** @returns the message to show, or undefined if sending failed */
  const send = async (supabase: Supabase, entry: Entry, paths: string[]): Promise<Notice | undefined> => {
    try {
      return (await spec.send?.(supabase, entry, paths, key.current)) ?? spec.messages.success
    } catch (error) {
      console.error('Sending failed', error)
      notifyError(error instanceof ToldFailure ? error.notice : spec.messages.sendFailed)
      return undefined
    }
  }

  const deliver = async (entry: Entry) => {
    const paths = files.map(({ path }) => path)
    const complaint = spec.checkFiles?.(paths)
    if (complaint) refusal.current = notifyError(complaint)
    const reason = complaint?.description ?? (uploads && isUnsettled(uploads.items) ? unsettled : undefined)
    if (reason !== undefined) {
      form.setError(`root.${filesField}`, { message: reason })
      return
    }
    setStage('submitting')
    // The draft is written before anything is sent. If the browser crashes while the form is being sent, the answers are not lost.
    draft.write()
    const supabase = await connect()
    const success = (await save(supabase, entry, paths)) ? await send(supabase, entry, paths) : undefined
    if (success) {
      forgetLateLink()
      const token = entryToken(key.current)
      // An entry that was sent with a late link has no link of its own.
      setEntryLink(getContent().entries.isClosed ? undefined : token)
      begin()
      notifySuccess(success)
      setStage('sent')
    } else {
      setStage('filling')
    }
  }

  const refuse = (errors: FieldErrors<Values>) => {
    const failed = firstFailed(spec.checks, messages(errors))
    if (failed) refusal.current = notifyError(failed)
  }

  const { errors } = form.formState
  const recheck = () => {
    const wrong = Object.keys(errors).filter((name) => name !== 'root')
    // react-hook-form requires paths of `Values` as names. TypeScript cannot check this here, because `Values` is generic.
    if (wrong.length > 0) afterPointerUp(() => void form.trigger(wrong as never))
  }
  const isRefused = Object.keys(errors).length > 0
  useEffect(() => {
    if (isRefused) return
    refusal.current?.()
    refusal.current = undefined
  }, [isRefused])
  const fileError = errors.root?.[filesField]
  const isMended =
    fileError !== undefined && !spec.checkFiles?.(files.map(({ path }) => path)) && !isUnsettled(uploads?.items ?? [])
  useEffect(() => {
    if (isMended) afterPointerUp(() => form.clearErrors(`root.${filesField}`))
  }, [isMended, form])

  const submit = async () => {
    // Ignores a second click while the form is being sent. The button may not have been disabled yet.
    if (busy.current) return
    busy.current = true
    clearNotices()
    try {
      await form.handleSubmit(deliver, refuse)()
    } catch (error) {
      console.error('Submitting failed', error)
      const notice = spec.messages.unexpected ?? spec.messages.sendFailed
      notifyError(typeof notice === 'function' ? notice(error) : notice)
      setStage('filling')
    } finally {
      busy.current = false
    }
  }

  const startAgain = () => {
    begin()
    setStage('filling')
  }

  return { form, stage, draft, keepsFiles: uploads !== undefined, prepare, recheck, submit, entryLink, startAgain }
}

function messages(errors: FieldErrors): string[] {
  return Object.values(errors).flatMap((error) => (typeof error?.message === 'string' ? [error.message] : []))
}
