/** Says that something is being read. */
export function Loading({ children = 'Loading...' }: { children?: string | undefined }) {
  return (
    <p role="status" className="text-muted-foreground">
      {children}
    </p>
  )
}
