import { CircleAlert, CircleCheck, TriangleAlert, X } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { hidePlain, onPlainNotices, plainNotices, type PlainNotice } from '../lib/plain-notices'

const looks = {
  success: { Icon: CircleCheck, border: 'border-success', text: 'text-success' },
  warning: { Icon: CircleAlert, border: 'border-citizen-ink', text: 'text-citizen-ink' },
  error: { Icon: TriangleAlert, border: 'border-destructive', text: 'text-destructive' },
}
const none: readonly PlainNotice[] = []

/** Messages in a plain form. They are shown if the code of the usual messages could not be loaded. */
export function PlainNotices() {
  const notices = useSyncExternalStore(onPlainNotices, plainNotices, () => none)
  return (
    <ol
      aria-label="Notifications"
      aria-live="assertive"
      className="pointer-events-auto fixed right-5 bottom-5 left-5 z-60 grid gap-3 empty:hidden md:left-auto md:w-100"
    >
      {notices.map((notice) => (
        <PlainMessage key={notice.id} notice={notice} />
      ))}
    </ol>
  )
}

function PlainMessage({ notice: { id, title, description, action, kind } }: { notice: PlainNotice }) {
  const { Icon, border, text } = looks[kind]
  return (
    <li data-message className={`flex gap-3 rounded border-l-8 bg-popover p-4 text-popover-foreground shadow-float ${border}`}>
      <Icon aria-hidden className={`mt-0.5 ${text}`} />
      <div className="grid flex-1 gap-0.5">
        <p className="font-bold">{title}</p>
        {description === undefined ? null : <p className="text-base text-muted-foreground">{description}</p>}
      </div>
      {action ? (
        <button
          type="button"
          className="-my-1 min-h-11 self-center rounded px-3 font-strong underline underline-offset-4 hover:bg-accent"
          onClick={() => {
            hidePlain(id)
            action.onClick()
          }}
        >
          {action.label}
        </button>
      ) : null}
      <button
        type="button"
        aria-label="Close"
        className="-my-2 -mr-2 grid size-11 shrink-0 place-items-center rounded hover:bg-accent"
        onClick={() => hidePlain(id)}
      >
        <X aria-hidden />
      </button>
    </li>
  )
}
