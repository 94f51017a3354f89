'use client'

import { useActionState, type ReactNode } from 'react'

type Message = string | undefined

/** A form for a server action. It shows the message that the action returns. */
export function ActionForm({
  action,
  children,
}: {
  action: (before: Message, form: FormData) => Promise<Message>
  children: ReactNode
}) {
  const [message, run, isPending] = useActionState(action, undefined)
  return (
    <form action={run} aria-busy={isPending}>
      {children}
      <p role="alert">{message}</p>
    </form>
  )
}
