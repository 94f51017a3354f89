/** Shows a message while data is being loaded. */
export function Loading({ children = 'Loading...' }: { children?: string | undefined }) {
  return (
    <p role="status" className="text-muted-foreground">
      {children}
    </p>
  )
}
