import type { Award } from './award'

/** A dot in the award's colour. Use it only beside a text with the same meaning. */
export function AwardDot({ award }: { award: Award }) {
  return (
    <span
      aria-hidden
      className="size-3 flex-none rounded-full shadow-[inset_0_0_0_1.5px_rgb(15_36_54/.45)]"
      style={{ background: `var(--${award})` }}
    />
  )
}
