import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { AreaField } from '@/components/fields'
import { useRunSql } from '@/components/ReviewSql'
import { Refused } from '@/components/states'
import { isJson, sendMessage } from './job-sql'

/** Form that sends a message to a queue. */
export function SendMessage({ queue }: { queue: string }) {
  const [text, setText] = useState('')
  const send = useRunSql()
  const isWrong = text.trim() !== '' && !isJson(text)
  return (
    <form
      className="grid gap-2 border-b pb-4"
      onSubmit={(event) => {
        event.preventDefault()
        send.mutate(() => ({ ...sendMessage(queue, text.trim()), onDone: () => setText('') }))
      }}
    >
      <AreaField
        label="Message (JSON)"
        value={text}
        onChange={setText}
        error={isWrong ? 'This is no JSON.' : undefined}
        rows={3}
        controlClassName="font-mono"
        spellCheck={false}
      />
      <Button
        type="submit"
        variant="outline"
        size="compact"
        className="justify-self-start"
        disabled={text.trim() === '' || isWrong || send.isPending}
      >
        Send
      </Button>
      {send.isError && <Refused error={send.error} />}
    </form>
  )
}
