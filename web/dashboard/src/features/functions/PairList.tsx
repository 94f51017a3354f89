import { Plus, X } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '@cloch/ui/components/button'
import { TextField } from '@/components/fields'
import type { Pair } from './call'

interface PairListProps {
  /** Name of the list, such as “Headers”. */
  title: string
  /** Name of one entry, such as “header”. */
  one: string
  pairs: readonly Pair[]
  onChange: (pairs: readonly Pair[]) => void
}

/** An editable list of names with values. */
export function PairList({ title, one, pairs, onChange }: PairListProps) {
  const list = useRef<HTMLFieldSetElement>(null)
  const change = (at: number, part: Partial<Pair>) =>
    onChange(pairs.map((pair, index) => (index === at ? { ...pair, ...part } : pair)))
  const focusLast = () =>
    requestAnimationFrame(() => {
      const names = list.current?.querySelectorAll<HTMLInputElement>('input[data-name]')
      const next = names?.item(names.length - 1) ?? list.current?.querySelector<HTMLButtonElement>('button[data-add]')
      next?.focus()
    })
  const add = () => {
    onChange([...pairs, { name: '', value: '' }])
    focusLast()
  }
  const remove = (at: number) => {
    onChange(pairs.filter((_, index) => index !== at))
    focusLast()
  }
  return (
    <fieldset ref={list} className="grid min-w-0 gap-2">
      <legend className="text-small font-strong">{title}</legend>
      {pairs.map((pair, at) => (
        <div key={at} className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto] gap-2">
          <TextField
            label={`Name of ${one} ${at + 1}`}
            isLabelHidden
            placeholder="Name"
            value={pair.name}
            onChange={(name) => change(at, { name })}
            controlClassName="font-mono"
            spellCheck={false}
            autoComplete="off"
            data-name
          />
          <TextField
            label={`Value of ${one} ${at + 1}`}
            isLabelHidden
            placeholder="Value"
            value={pair.value}
            onChange={(value) => change(at, { value })}
            controlClassName="font-mono"
            spellCheck={false}
            autoComplete="off"
          />
          <Button variant="ghost" size="compact-icon" aria-label={`Remove ${one} ${at + 1}`} onClick={() => remove(at)}>
            <X aria-hidden />
          </Button>
        </div>
      ))}
      <Button variant="outline" size="compact" className="justify-self-start" data-add onClick={add}>
        <Plus aria-hidden />
        Add a {one}
      </Button>
    </fieldset>
  )
}
