/** A ferry with its wake, moving to the right. A negative horizontal scale turns it to the left. */
export function Ferry({ transform }: { transform: string }) {
  return (
    <g transform={transform}>
      <path d="M-150 74q40-9 80-5 40 4 84-2l-6 11q-70 6-158 0Z" fill="var(--glint)" opacity=".65" />
      <path d="M30 22h150l10 22H24Z" fill="var(--wall)" />
      <path d="M58 2h92l8 22H50Z" fill="var(--wall)" />
      <path d="M128-14h30v18h-30Z" fill="var(--wall-2)" />
      <path d="M66-24 92-24 96 4H62Z" fill="var(--funnel-500)" />
      <path d="M66-24h26l1.4 9H65Z" fill="var(--ink)" />
      <path d="M168 4V-34M158-26h20" fill="none" stroke="var(--ink)" strokeWidth="3" />
      <path
        d="M64 9h10v8H64ZM80 9h10v8H80ZM96 9h10v8H96ZM112 9h10v8h-10ZM132-9h22v7h-22ZM38 29h9v8h-9ZM54 29h9v8h-9ZM70 29h9v8h-9ZM86 29h9v8h-9ZM102 29h9v8h-9ZM118 29h9v8h-9ZM134 29h9v8h-9ZM150 29h9v8h-9ZM166 29h9v8h-9Z"
        fill="var(--pane)"
      />
      <path d="M4 44H218l-16 30H22Z" fill="var(--ink)" />
      <path d="M18 66H206l-5 9H22Z" fill="var(--funnel-500)" />
    </g>
  )
}
