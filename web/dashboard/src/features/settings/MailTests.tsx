import { Send } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { TextField } from '@/components/fields'
import { Refused } from '@/components/states'
import { post } from '@/lib/api'
import { useOperator } from '@/lib/session'
import { useAction } from '@/lib/use-action'

/** Sends a test mail. The test uses the mail server in the saved settings, even if this server will be used for other mails only after a restart. */
export function TestMail({ isDraft }: { isDraft: boolean }) {
  const [to, setTo] = useState(useOperator().email)
  const send = useAction(() => post<{ reply: string }>('/settings/test-mail', { to }), {})
  return (
    <form
      className="grid max-w-lg gap-2 py-3"
      onSubmit={(event) => {
        event.preventDefault()
        send.mutate()
      }}
    >
      <TextField
        label="Send a test mail to"
        hint={isDraft ? 'Save first: the test uses the saved settings.' : 'It uses the saved settings, also before a restart.'}
        type="email"
        required
        value={to}
        onChange={setTo}
      />
      <Button
        type="submit"
        variant="outline"
        size="compact"
        className="justify-self-start"
        disabled={send.isPending || isDraft}
        aria-busy={send.isPending}
      >
        <Send aria-hidden />
        Send
      </Button>
      {send.isError && <Refused error={send.error} />}
      {send.data && (
        <p role="status">
          The mail server accepted the mail: <code className="break-all">{send.data.reply}</code>
        </p>
      )}
    </form>
  )
}
