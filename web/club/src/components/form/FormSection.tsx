import type { ReactNode } from 'react'
import { Optional } from './Field'

interface FormSectionProps {
  id: string
  /** Position among the parts, from 1; `undefined` in a form without parts. */
  number?: number
  title: string
  hint?: ReactNode
  optional?: boolean
  children: ReactNode
}

/** A numbered part of a form. */
export function FormSection({ id, number, title, hint, optional, children }: FormSectionProps) {
  return (
    <fieldset id={id} className="band grid min-w-0 scroll-mt-4 gap-6 pt-4.5">
      <legend className="float-left w-full font-display text-[clamp(1.3125rem,1.2rem+0.5vw,1.625rem)] leading-tight font-bold">
        {number === undefined ? title : `${number}. ${title}`}
        {optional ? (
          <span className="font-sans text-base">
            <Optional />
          </span>
        ) : null}
      </legend>
      {hint ? <div className="-mt-3 text-[0.9688rem] text-muted-foreground">{hint}</div> : null}
      {children}
    </fieldset>
  )
}

/** Two fields side by side, if there is room. */
export function Pair({ children }: { children: ReactNode }) {
  return <div className="grid items-end gap-6 md:grid-cols-2">{children}</div>
}
