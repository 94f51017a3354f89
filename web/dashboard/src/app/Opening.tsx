/** Shown until the app can render a page. index.html contains the same content, which is shown until the app has loaded. */
export const Opening = () => (
  <p role="status" className="grid min-h-dvh place-items-center text-muted-foreground">
    Opening the dashboard…
  </p>
)
