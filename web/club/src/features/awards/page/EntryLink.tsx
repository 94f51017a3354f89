import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { entryAddress } from '@/lib/entry-link'
import { forgetSentEntries, keepSentEntry, useSentEntries } from '@/lib/sent-entries'
import { Button } from '@cloch/ui/components/button'
import { Checkbox } from '@cloch/ui/components/checkbox'
import { Input } from '@cloch/ui/components/input'

interface EntryLinkProps {
  /** Name of the form, such as `young-artist`. */
  form: string
  token: string
}

/**
 * The link to the entry that was just sent. The sender can use it to correct the entry. The device keeps the link only if the sender ticks the box:
 * schools enter from shared computers, and whoever has the link can read the data of a minor.
 */
export function EntryLink({ form, token }: EntryLinkProps) {
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
        whoever has it can do the same. If it is lost, the page “Your entry” sends another one to the address of the receipt.
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
      <label className="flex min-h-12 cursor-pointer items-center gap-3 justify-self-start font-strong">
        <Checkbox
          checked={isKept}
          aria-describedby="entry-link-kept"
          onChange={(event) => (event.target.checked ? keepSentEntry(form, token) : forgetSentEntries(token))}
        />
        Keep this link on this device
      </label>
      <p id="entry-link-kept">
        Not on a shared device: its next user could open the entry. A kept link is on the page of the form until entries close.
      </p>
    </div>
  )
}
