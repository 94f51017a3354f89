import { Suspense, useEffect, useEffectEvent, useState, type ComponentType } from 'react'
import { lazyPart } from '@/components/lazy-part'
import { ClosedSentence } from '@/components/form/ClosedEntries'
import { SkyStrip } from '@/components/SkyStrip'
import { getSettings } from '@/lib/config'
import { formatMoment } from '@/lib/dates'
import { tokenOfAddress } from '@/lib/entry-link'
import { forgetSentEntries } from '@/lib/sent-entries'
import { getContent } from '@/lib/site-content'
import { useHydrated } from '@/lib/use-hydrated'
import { usePage } from '@/lib/use-page'
import { CorrectionContext, type SentEntry } from '../page/correction'
import { SentEntries } from '../page/SentEntries'
import { AskLink } from './AskLink'
import { askEntry } from './ask-entry'

const forms: Record<SentEntry['award'], { name: string; Form: ComponentType }> = {
  citizen: { name: 'Young Citizen nomination', Form: lazyPart(() => import('../citizen/CitizenForm')) },
  musician: { name: 'Young Musician entry', Form: lazyPart(() => import('../musician/MusicianForm')) },
  photographer: { name: 'Young Photographer entry', Form: lazyPart(() => import('../photographer/PhotographerForm')) },
  artist: { name: 'Young Artist entry', Form: lazyPart(() => import('../artist/ArtistForm')) },
}

/** The page on which a sender can see an entry, correct it and add files. The token that allows this is in the URL's fragment. */
export function Component() {
  usePage({ title: 'Your entry', description: 'See and correct an entry to the youth awards that you have sent.' })
  const hydrated = useHydrated()
  return (
    <>
      <SkyStrip title="Your entry" lede="See what you have sent, correct it, and add files." motif="lighthouse" />
      <div className="section wrap grid gap-10">
        <About />
        {hydrated ? <Entry /> : <Opening />}
      </div>
    </>
  )
}

/**
 * The text that is the same with a link and without one. It is in the page that was rendered at build time, and it is the largest text at the start:
 * whatever the script shows below it does not delay the largest contentful paint.
 */
function About() {
  const { clubEmail } = getSettings()
  return (
    <p className="max-w-[36em]">
      An entry is opened by its link, which the page showed when the entry was sent. To have an entry withdrawn or deleted, or
      corrected without the link, write to <a href={`mailto:${clubEmail}`}>{clubEmail}</a> and give the reference of the
      receipt.
    </p>
  )
}

function Opening() {
  return <p className="min-h-[40dvh]">Opening your entry…</p>
}

type Answer = { state: 'asking' | 'none' | 'ended' | 'failed' } | { state: 'found'; entry: SentEntry; token: string }

function Entry() {
  const [answer, setAnswer] = useState<Answer>({ state: 'asking' })
  const [asked, setAsked] = useState(0)
  useEffect(() => {
    let left = false
    const token = tokenOfAddress(window.location.hash)
    const found = token === undefined ? Promise.resolve(undefined) : askEntry(token)
    found.then(
      (entry) => {
        if (left) return
        if (entry === undefined && token !== undefined) forgetSentEntries(token)
        setAnswer(
          entry && token !== undefined ? { state: 'found', entry, token } : { state: token === undefined ? 'none' : 'ended' },
        )
      },
      (error: unknown) => {
        console.error('Opening the entry failed', error)
        if (!left) setAnswer({ state: 'failed' })
      },
    )
    return () => {
      left = true
    }
  }, [asked])
  const reload = () => {
    setAnswer({ state: 'asking' })
    setAsked((count) => count + 1)
  }
  const onAnotherLink = useEffectEvent(reload)
  useEffect(() => {
    // A link to another entry changes only the fragment of this page's address.
    window.addEventListener('hashchange', onAnotherLink)
    return () => window.removeEventListener('hashchange', onAnotherLink)
  }, [])
  if (answer.state === 'asking') return <Opening />
  if (answer.state !== 'found') return <NoEntry state={answer.state} onRetry={reload} />
  const { name, Form } = forms[answer.entry.award]
  return (
    <CorrectionContext value={{ ...answer, reload }}>
      <div className={`award-${answer.entry.award} grid gap-8`}>
        <Sent entry={answer.entry} name={name} />
        <Suspense fallback={<Opening />}>
          <Form />
        </Suspense>
      </div>
    </CorrectionContext>
  )
}

/** The data that cannot be changed: the time of sending, and the files that have already been sent. */
function Sent({ entry: { reference, createdAt, until, files }, name }: { entry: SentEntry; name: string }) {
  return (
    <section aria-labelledby="sent" className="band grid max-w-[36em] gap-3 pt-5">
      <h2 id="sent" className="text-h2">
        {name}
      </h2>
      <p>
        Sent on {formatMoment(createdAt)}. Reference <strong>{reference}</strong>.
        {until === null ? null : <> It can be corrected until the end of {until}.</>} The club sees each correction, with what
        was there before.
      </p>
      {files.length === 0 ? (
        <p>No files were sent with it.</p>
      ) : (
        <div>
          <p>Files that were sent:</p>
          <ul className="list-disc pl-5 [overflow-wrap:anywhere]">
            {files.map((file, index) => (
              <li key={index}>{file}</li>
            ))}
          </ul>
        </div>
      )}
    </section>
  )
}

const noEntry = {
  none: {
    title: 'Open your entry',
    text: 'The address of this page has no link to an entry in it.',
  },
  ended: {
    title: 'This link opens nothing',
    text: 'A link to an entry ends with the last day for entries, when the entry is withdrawn or deleted, or when the club ends it; a link from a mail ends after a day. It may also be incomplete: copy it whole.',
  },
  failed: { title: 'The entry could not be opened', text: 'Please try again in a moment.' },
}

function NoEntry({ state, onRetry }: { state: keyof typeof noEntry; onRetry: () => void }) {
  const { title, text } = noEntry[state]
  return (
    <div className="grid gap-10">
      <section aria-labelledby="no-entry" className="band grid max-w-[36em] justify-items-start gap-4 pt-5">
        <h2 id="no-entry" className="text-h2">
          {title}
        </h2>
        <p role="status">{text}</p>
        {state === 'failed' ? (
          <button type="button" className="min-h-11 underline underline-offset-4" onClick={onRetry}>
            Try again
          </button>
        ) : null}
        <SentEntries />
      </section>
      {getContent().entries.isClosed ? (
        <p className="max-w-[36em]">
          <ClosedSentence /> Until then, no entry can be corrected here.
        </p>
      ) : (
        <AskLink />
      )}
    </div>
  )
}
