import { Clock } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import { when } from '@/lib/content-template'
import { formatMoment } from '@/lib/dates'
import { askLateLink, lateLink, takeLateLink, type LateForm } from '@/lib/late-link'
import { getContent } from '@/lib/site-content'
import { useHydrated } from '@/lib/use-hydrated'
import { ClosedEntries } from './ClosedEntries'

type Admission = { state: 'asking' } | { state: 'closed'; reason?: string } | { state: 'late'; until: string }

const endedLink = 'This late link has been used, was withdrawn, or has ended.'
const otherForm = 'This late link is for another form.'
const notAsked = 'The late link could not be checked. Please load the page again.'

/** Asks the server whether this tab's late link is valid for this form. */
async function ask(form: LateForm, token: string): Promise<Admission> {
  try {
    const { connectAsVisitor } = await import('@/lib/supabase')
    const found = await askLateLink(await connectAsVisitor(), token)
    if (!found) return { state: 'closed', reason: endedLink }
    if (found.form !== form) return { state: 'closed', reason: otherForm }
    return { state: 'late', until: found.until }
  } catch (error) {
    console.error('Checking the late link failed', error)
    return { state: 'closed', reason: notAsked }
  }
}

/**
 * Checks the late link of this tab, if there is one. Only the browser has the token of the link, so the result is not known when the page is rendered
 * at build time.
 */
function useLateLink(form: LateForm): Admission {
  const [admission, setAdmission] = useState<Admission>(() => {
    takeLateLink()
    return { state: lateLink() === undefined ? 'closed' : 'asking' }
  })
  const { state } = admission
  useEffect(() => {
    const token = lateLink()
    if (state !== 'asking' || token === undefined) return
    let left = false
    void ask(form, token).then((answer) => {
      if (!left) setAdmission(answer)
    })
    return () => {
      left = true
    }
  }, [form, state])
  return admission
}

interface AdmissionProps {
  form: LateForm
  children: ReactNode
}

/**
 * Shows the form while entries are open, or if this tab has a valid late link. Otherwise shows the date on which entries closed. The server stated in
 * the page whether entries are open; the database checks this again when the form is sent.
 */
export function Admission({ form, children }: AdmissionProps) {
  const { isClosed } = getContent().entries
  const hydrated = useHydrated()
  if (hydrated && isClosed) return <LateEntry form={form}>{children}</LateEntry>
  return when(isClosed, () => <ClosedEntries />, children)
}

function LateEntry({ form, children }: AdmissionProps) {
  const admission = useLateLink(form)
  switch (admission.state) {
    case 'asking':
      return <p className="min-h-[60dvh]">Checking the late link…</p>
    case 'closed':
      return <ClosedEntries reason={admission.reason} />
    case 'late':
      return (
        <>
          <p role="note" className="mb-8 flex gap-3 rounded bg-secondary px-4 py-3.5">
            <Clock aria-hidden className="mt-0.5 shrink-0" />
            <span>
              <b>Entries are closed, and this late link lets you send one.</b> It works until {formatMoment(admission.until)}.
            </span>
          </p>
          {children}
        </>
      )
  }
}
