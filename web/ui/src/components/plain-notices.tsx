import { CircleCheck, TriangleAlert, X } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { hidePlain, onPlainNotices, plainNotices, type PlainNotice } from '../lib/plain-notices'

const none: readonly PlainNotice[] = []

/** Messages without the code that messages usually have. */
export function PlainNotices() {
  const notices = useSyncExternalStore(onPlainNotices, plainNotices, () => none)
  return (
    <ol
      aria-label="Notifications"
      aria-live="assertive"
      className="pointer-events-auto fixed right-5 bottom-5 left-5 z-60 grid gap-3 empty:hidden md:left-auto md:w-100"
    >
      {notices.map(({ id, title, description, action, isError }) => (
        <li
          key={id}
          data-message
          className={`flex gap-3 rounded border-l-8 bg-popover p-4 text-popover-foreground shadow-float ${isError ? 'border-destructive' : 'border-success'}`}
        >
          {isError ? (
            <TriangleAlert aria-hidden className="mt-0.5 text-destructive" />
          ) : (
            <CircleCheck aria-hidden className="mt-0.5 text-success" />
          )}
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
      ))}
    </ol>
  )
}
