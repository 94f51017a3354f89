import { useId, useState, type SubmitEvent } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Input } from '@cloch/ui/components/input'
import { limits } from '@/lib/forms/rules'

type State = { state: 'typing'; problem?: string } | { state: 'asking' } | { state: 'asked' }

const badAddress = 'Please enter a valid email address'
const failed = 'The link could not be asked for. Please try again.'

/** Requests a mail with links. @returns an error message, or undefined on success. The server does not reveal whether the address has an entry. */
async function ask(address: string): Promise<string | undefined> {
  try {
    const { connectAsVisitor } = await import('@/lib/supabase')
    const supabase = await connectAsVisitor()
    const { error, status } = await supabase.rpc('ask_entry_link', { address })
    if (!error) return undefined
    console.error('Asking for a link failed', error)
    return status === 429 ? 'Too many links were asked for from this network. Try again in an hour.' : failed
  } catch (error) {
    console.error('Asking for a link failed', error)
    return failed
  }
}

/** Sends the links to a visitor's entries by mail. The response is the same if there are no entries. */
export function AskLink() {
  const id = useId()
  const [address, setAddress] = useState('')
  const [answer, setAnswer] = useState<State>({ state: 'typing' })
  const problem = answer.state === 'typing' ? answer.problem : undefined
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const typed = address.trim()
    if (!/^[^\s@]+@[^\s@]+$/.test(typed) || typed.length > limits.email) {
      setAnswer({ state: 'typing', problem: badAddress })
      return
    }
    setAnswer({ state: 'asking' })
    void ask(typed).then((wrong) => setAnswer(wrong === undefined ? { state: 'asked' } : { state: 'typing', problem: wrong }))
  }
  return (
    <section aria-labelledby={`${id}-title`} className="band grid max-w-[36em] justify-items-start gap-4 pt-5">
      <h2 id={`${id}-title`} className="text-h2">
        Send me the link again
      </h2>
      {answer.state === 'asked' ? (
        <p role="status" className="[overflow-wrap:anywhere]">
          If there is an entry of this season with the address {address.trim()}, a mail with the link is on its way. It can take
          a few minutes; look into the folder for unwanted mail too. The link works for a day.
        </p>
      ) : (
        <form noValidate className="grid w-full gap-4" onSubmit={submit}>
          <div className="grid gap-1.5">
            <label htmlFor={id} className="font-strong">
              E-mail address
            </label>
            <p id={`${id}-hint`} className="text-[0.9688rem] leading-snug text-muted-foreground">
              The address to which the receipt went: the parent’s or guardian’s, or the nominator’s.
            </p>
            {problem === undefined ? null : (
              <p id={`${id}-problem`} role="alert" className="font-strong text-destructive">
                {problem}
              </p>
            )}
            <Input
              id={id}
              type="email"
              autoComplete="email"
              value={address}
              aria-invalid={problem !== undefined}
              aria-describedby={problem === undefined ? `${id}-hint` : `${id}-hint ${id}-problem`}
              onChange={(event) => setAddress(event.target.value)}
            />
          </div>
          <Button
            type="submit"
            className="justify-self-start"
            disabled={answer.state === 'asking'}
            aria-busy={answer.state === 'asking'}
          >
            {answer.state === 'asking' ? 'Sending...' : 'Send the link'}
          </Button>
        </form>
      )}
    </section>
  )
}
