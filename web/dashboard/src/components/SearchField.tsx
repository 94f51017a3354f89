import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { cn } from '@cloch/ui/lib/cn'
import { TextField } from './fields'

/** A suggestion: a short explanation, and the text that is put into the field if the user chooses it. */
export interface Suggestion {
  value: string
  note: string
}

interface SearchFieldProps {
  label: string
  hint?: ReactNode
  value: string
  onChange: (value: string) => void
  /** Returns the suggestions for a text. For an empty text, returns the most common ones. */
  find: (text: string) => readonly Suggestion[]
  /** Called after `onChange` when the user chooses a suggestion. */
  onChosen?: (suggestion: Suggestion) => void
  disabled?: boolean
}

/**
 * A text field with suggestions. Other text can be typed too. The list of suggestions moves the content below it down, because a list above that
 * content could be cut off by a scrolling panel.
 */
export function SearchField({ label, hint, value, onChange, find, onChosen, disabled = false }: SearchFieldProps) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  // False if the user opened the list without typing. Then the list shows the most common suggestions, regardless of the text in the field.
  const [isTyped, setTyped] = useState(false)
  const [at, setAt] = useState(-1)
  const all = isOpen ? find(isTyped ? value : '') : []
  // A suggestion that is already in the field would only move the content below it.
  const found = isTyped && all.length === 1 && all[0]?.value === value ? [] : all
  const open = (typed: boolean) => {
    setOpen(true)
    setTyped(typed)
    setAt(-1)
  }
  const take = (suggestion: Suggestion | undefined) => {
    setOpen(false)
    if (!suggestion) return
    onChange(suggestion.value)
    onChosen?.(suggestion)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const step = event.key === 'ArrowDown' ? 1 : -1
      if (!isOpen) open(false)
      else if (found.length > 0) setAt(at < 0 && step < 0 ? found.length - 1 : (at + step + found.length) % found.length)
    } else if (isOpen && event.key === 'Enter' && at >= 0) take(found[at])
    // Closes only the list. Without this, Escape would close the surrounding dialog too.
    else if (isOpen && found.length > 0 && event.key === 'Escape') setOpen(false)
    else return
    event.preventDefault()
  }
  return (
    <div
      className="grid content-start gap-1"
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false)
      }}
    >
      <TextField
        label={label}
        {...(hint === undefined ? {} : { hint })}
        role="combobox"
        aria-expanded={isOpen && found.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && at >= 0 && at < found.length ? `${id}-${at}` : undefined}
        controlClassName="font-mono"
        autoComplete="off"
        spellCheck={false}
        disabled={disabled}
        value={value}
        onChange={(next) => {
          onChange(next)
          open(true)
        }}
        onClick={() => {
          if (!isOpen) open(false)
        }}
        onKeyDown={onKeyDown}
      />
      <ul
        role="listbox"
        id={`${id}-list`}
        aria-label="Suggestions"
        hidden={found.length === 0}
        className="max-h-56 overflow-y-auto rounded border bg-card shadow-float"
        // Without this, a click would take the focus from the field.
        onMouseDown={(event) => event.preventDefault()}
      >
        {found.map((suggestion, index) => (
          <Option
            key={suggestion.value}
            id={`${id}-${index}`}
            suggestion={suggestion}
            isChosen={index === at}
            onTake={() => take(suggestion)}
          />
        ))}
      </ul>
    </div>
  )
}

interface OptionProps {
  id: string
  suggestion: Suggestion
  isChosen: boolean
  onTake: () => void
}

function Option({ id, suggestion: { value, note }, isChosen, onTake }: OptionProps) {
  const option = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isChosen) option.current?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  return (
    <li
      ref={option}
      id={id}
      role="option"
      aria-selected={isChosen}
      className={cn(
        'flex min-h-9 cursor-pointer flex-wrap items-baseline gap-x-3 border-l-6 border-transparent px-2 py-1.5 hover:bg-accent pointer-coarse:min-h-11',
        isChosen && 'border-foreground bg-secondary',
      )}
      onClick={onTake}
    >
      <code className="min-w-0 break-words">{value}</code>
      <span className="text-small text-muted-foreground">{note}</span>
    </li>
  )
}
