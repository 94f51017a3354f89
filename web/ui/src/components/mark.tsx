import type { ComponentProps } from 'react'

/** The logo: the Cloch lighthouse with its beam, above the water. */
export function Mark(props: ComponentProps<'svg'>) {
  return (
    <svg viewBox="0 0 48 48" aria-hidden {...props}>
      <rect width="48" height="48" rx="4" fill="#0f2436" />
      <path d="M0 34h48v10a4 4 0 0 1-4 4H4a4 4 0 0 1-4-4Z" fill="#1aa7b0" />
      <path d="M24 12 0 4v14ZM24 12 48 4v14Z" fill="#ffd75e" />
      <path d="M20 15h8l3 23H17Z" fill="#fff" />
      <path d="M19 20h10l.9 6.5H18.1ZM15 38h18v4H15Z" fill="#0f2436" />
      <path d="M18 13h12v3H18Z" fill="#fff" />
      <path d="M21 8h6v5h-6Z" fill="#ffd75e" />
      <path d="M20 8.5q4-6 8 0Z" fill="#fff" />
    </svg>
  )
}
