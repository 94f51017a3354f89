/** A lectern by the water: somebody is about to speak. */
export function LecternPorthole() {
  return (
    <svg viewBox="0 0 200 200">
      <rect width="200" height="200" fill="var(--sky-low)" />
      <rect width="200" height="92" fill="var(--sky)" />
      <path d="M0 108Q50 84 100 100T200 92V124H0Z" fill="var(--hill-2)" />
      <rect y="118" width="200" height="90" fill="var(--sea)" />
      <path d="M62 200 70 128H150L158 200Z" fill="var(--ink)" />
      <path d="M60 118H160V132H60Z" fill="var(--funnel-500)" />
      <path d="M92 118V84Q92 70 108 66" fill="none" stroke="var(--ink)" strokeWidth="5" />
      <ellipse cx="116" cy="62" rx="13" ry="9" transform="rotate(-20 116 62)" fill="var(--ink)" />
      <circle cx="110" cy="164" r="15" fill="var(--lamp-300)" />
    </svg>
  )
}
