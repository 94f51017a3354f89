/** What is drawn until the app has what it needs to draw a page; index.html has the same, until there is an app. */
export const Opening = () => (
  <p role="status" className="grid min-h-dvh place-items-center text-muted-foreground">
    Opening the dashboard…
  </p>
)
