import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { entryAddress } from '@/lib/entry-link'
import { forgetSentEntries, useSentEntries } from '@/lib/sent-entries'
import { Button } from '@cloch/ui/components/button'
import { Input } from '@cloch/ui/components/input'

/** The link to the entry that was just sent. The sender can use it to correct the entry. */
export function EntryLink({ token }: { token: string }) {
  const [isCopied, setIsCopied] = useState(false)
  const isKept = useSentEntries().some((entry) => entry.token === token)
  const address = entryAddress(token, window.location.origin)
  const copy = () =>
    void navigator.clipboard.writeText(address).then(
      () => setIsCopied(true),
      // If the clipboard is not available, the user can select and copy the link.
      () => undefined,
    )
  return (
    <div className="grid w-full max-w-[36em] gap-2">
      <label htmlFor="entry-link" className="font-strong">
        Your link to this entry
      </label>
      <p>
        With it you can see what you have sent, correct it and add files until the last day for entries. Keep it to yourself:
        whoever has it can do the same. This device keeps it until then, and the page of the form shows the way back. If it is
        lost, the page “Your entry” sends another one to the address of the receipt.
      </p>
      <Input id="entry-link" readOnly value={address} onFocus={(event) => event.target.select()} />
      <div className="flex flex-wrap gap-3">
        <Button size="sm" variant="outline" onClick={copy}>
          {isCopied ? <Check aria-hidden /> : <Copy aria-hidden />}
          {isCopied ? 'Copied' : 'Copy the link'}
        </Button>
        <Button asChild size="sm" variant="outline">
          <a href={address}>Open it</a>
        </Button>
      </div>
      {isKept ? (
        <button
          type="button"
          className="min-h-11 justify-self-start text-left underline underline-offset-4 hover:decoration-3"
          onClick={() => forgetSentEntries(token)}
        >
          This is a shared device: forget it
        </button>
      ) : (
        <p role="status">This device does not keep the link.</p>
      )}
    </div>
  )
}
