import type { ReactNode } from 'react'
import { Mark } from '@cloch/ui/components/mark'
import { PageTitle } from '@/components/Page'
import { useTitle } from '@/lib/use-title'

/** Layout of the sign-in page, in front of a background with sky and sea. */
export function Door({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title)
  return (
    <main className="grid min-h-dvh content-center bg-[linear-gradient(var(--sky)_0_60%,var(--sea)_60%)]">
      <DoorPanel title={title}>{children}</DoorPanel>
    </main>
  )
}

/** The panel in the middle of the sign-in page. */
export function DoorPanel({ title, id, children }: { title: string; id?: string; children: ReactNode }) {
  return (
    <div className="mx-auto grid w-[min(26rem,100%)] gap-4 rounded border-t-8 border-foreground bg-card p-6 shadow-float">
      <div className="flex items-center gap-3" id={id}>
        <Mark className="size-10" />
        <PageTitle>{title}</PageTitle>
      </div>
      {children}
    </div>
  )
}

export function Refusal({ children }: { children: ReactNode }) {
  return (
    <p role="alert" className="border-l-6 border-destructive bg-destructive-wash p-3 text-destructive">
      {children}
    </p>
  )
}
