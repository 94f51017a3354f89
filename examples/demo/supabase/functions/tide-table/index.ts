/**
 * The next high and low waters at the harbour of the demo. They are computed with the same formula as in public.reading_at. No real place has these
 * tides.
 */
const PERIOD = 44712 // seconds from one high water to the next

Deno.serve(() => {
  const now = Date.now() / 1000
  const next = (phase: number) => (Math.ceil(now / PERIOD - phase) + phase) * PERIOD
  const tides = [0, 1, 2].flatMap((count) => [
    { tide: 'high', at: next(0.25) + count * PERIOD, metres: 3.3 },
    { tide: 'low', at: next(0.75) + count * PERIOD, metres: 0.5 },
  ])
  tides.sort((a, b) => a.at - b.at)
  return Response.json(tides.map((tide) => ({ ...tide, at: new Date(tide.at * 1000).toISOString() })))
})
