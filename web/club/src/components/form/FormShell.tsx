import type { ReactNode } from 'react'
import { FormProvider } from 'react-hook-form'
import type { FormSpec, FormValues } from '@/lib/forms/form-spec'
import type { EntryForm } from '@/lib/forms/use-entry-form'
import { Button } from '@cloch/ui/components/button'
import { DraftNote } from './DraftNote'
import { ErrorSummary } from './ErrorSummary'
import { LeaveGuard } from './LeaveGuard'

interface FormShellProps<Values extends FormValues, Entry> {
  spec: FormSpec<Values, Entry>
  entry: EntryForm<Values, Entry>
  /** Label of the button; while the form is being sent, `submitting` replaces it. */
  submit: string
  submitting: string
  /** Content beside the form on wide screens. */
  aside?: ReactNode
  children: ReactNode
}

/**
 * Contains the fields of every form, and what all forms have in common: the summary of errors, the note about the draft, the button, and the dialog
 * before the user leaves with unsent input.
 */
export function FormShell<Values extends FormValues, Entry>(props: FormShellProps<Values, Entry>) {
  const { spec, entry, submit, submitting, aside, children } = props
  const { form, stage, draft } = entry
  const order = spec.parts.flatMap(({ fields }) => fields)
  const files = !order.includes('uploadedFiles') ? 'none' : entry.keepsFiles ? 'kept' : 'not kept'
  const unsent = draft.savedAt !== undefined || draft.isWaiting
  return (
    <FormProvider {...form}>
      <LeaveGuard unsent={unsent} />
      <div className={aside ? 'grid items-start gap-10 desk:grid-cols-[minmax(0,7fr)_minmax(0,4fr)] desk:gap-20' : ''}>
        <form
          aria-label={spec.title}
          data-form={spec.name}
          // Until the app has loaded, the browser must not submit the form: with GET, it would put the answers into the URL. With method="dialog",
          // browsers do nothing outside a <dialog> element (HTML standard, form submission).
          method="dialog"
          noValidate
          className="grid min-w-0 gap-11"
          onFocus={entry.prepare}
          onBlur={entry.recheck}
          onChange={({ target }) => {
            if (isChoice(target)) entry.recheck()
          }}
          onSubmit={(event) => {
            event.preventDefault()
            void entry.submit()
          }}
        >
          <ErrorSummary order={order} />
          <fieldset role="presentation" disabled={stage === 'submitting'} className="grid min-w-0 gap-11">
            {children}
          </fieldset>
          <DraftNote savedAt={draft.savedAt} files={files} onClear={entry.startAgain} className={aside ? 'desk:hidden' : ''} />
          <div className="flex flex-wrap items-center gap-x-6 gap-y-4 border-t pt-7">
            <SubmitButton busy={stage === 'submitting'} idle={submit} working={submitting} />
            <p className="no-print text-small text-muted-foreground">Your answers stay on this page if anything goes wrong.</p>
          </div>
        </form>
        {aside ? (
          <aside className="grid gap-8 max-desk:hidden desk:sticky desk:top-8">
            {aside}
            <DraftNote savedAt={draft.savedAt} files={files} onClear={entry.startAgain} />
          </aside>
        ) : null}
      </div>
    </FormProvider>
  )
}

/** Whether the control is a choice, so that one change completes the answer. */
function isChoice(target: EventTarget): boolean {
  return target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && /^(radio|checkbox)$/.test(target.type))
}

/** A button of constant width: both labels are in the same place, and one of them is hidden. */
function SubmitButton({ busy, idle, working }: { busy: boolean; idle: string; working: string }) {
  return (
    <Button type="submit" disabled={busy} aria-busy={busy}>
      <span className="grid">
        <span className={busy ? 'invisible [grid-area:1/1]' : '[grid-area:1/1]'} aria-hidden={busy}>
          {idle}
        </span>
        <span className={busy ? '[grid-area:1/1]' : 'invisible [grid-area:1/1]'} aria-hidden={!busy}>
          {working}
        </span>
      </span>
    </Button>
  )
}
