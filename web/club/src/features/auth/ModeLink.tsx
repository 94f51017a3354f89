/** Switches to another form of the sign-in page. */
export function ModeLink({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <button
      type="button"
      className="min-h-11 text-small text-primary underline underline-offset-4 hover:decoration-3"
      onClick={onClick}
    >
      {children}
    </button>
  )
}
