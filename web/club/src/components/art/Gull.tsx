/** A distant gull. */
export function Gull({ transform }: { transform: string }) {
  return <path transform={transform} d="M0 6Q8-5 15 5 22-5 30 6 22 1 15 9 8 1 0 6Z" fill="var(--wall)" />
}
