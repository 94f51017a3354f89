/** A laid table, with a thistle on the plate. */
export function DinnerPorthole() {
  return (
    <svg viewBox="0 0 200 200">
      <rect width="200" height="200" fill="var(--heather-700)" />
      <circle cx="100" cy="104" r="66" fill="var(--wall)" />
      <circle cx="100" cy="104" r="46" fill="var(--wall-2)" />
      <circle cx="100" cy="104" r="40" fill="var(--wall)" />
      <path d="M100 136V104" fill="none" stroke="var(--hill-4)" strokeWidth="6" />
      <path d="M82 108q18 18 36 0l-6-14H88Z" fill="#1b6b43" />
      <path d="M84 94 88 70 94 88 100 64 106 88 112 70 116 94Z" fill="var(--heather-500)" />
      <path d="M100 124q-22-2-26-18 22 0 26 18ZM100 128q22-2 26-18-22 0-26 18Z" fill="#1b6b43" />
      <path d="M24 62V150M16 62V86q8 10 16 0V62" fill="none" stroke="var(--lamp-300)" strokeWidth="5" strokeLinecap="round" />
      <path d="M178 150V60q-12 12-10 44h10" fill="none" stroke="var(--lamp-300)" strokeWidth="5" strokeLinecap="round" />
    </svg>
  )
}
