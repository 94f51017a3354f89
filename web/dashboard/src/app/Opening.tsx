/** Shown until the app can render a page. index.html contains the same elements, which are visible until the app's code has loaded. */
export const Opening = () => (
  <p role="status" className="grid min-h-dvh place-items-center text-muted-foreground">
    Opening the dashboard…
  </p>
)
