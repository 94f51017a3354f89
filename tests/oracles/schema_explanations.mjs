// Differences from PostgREST that are correct, each with the reason. `early`: the request was sent before the server was notified of the change.

/** Status 300 is an error too: it refuses an ambiguous name. */
const isError = (answer) => answer.status >= 300
const code = (answer) => answer.body?.code

/**
 * Codes of errors for objects that are missing in the schema cache or no longer in the database, and for a body that would be read with outdated
 * types (PGRST002).
 */
const OUTDATED = /^(PGRST002|PGRST2\d\d|42703|42P01|42883|42704|42P10)$/

const EXPLANATIONS = [
  ['an error before the reload', 'the schema cache is of before the change; no other rows are found or written', (one, a, b, { early }) => early && isError(b) && (isError(a) || one.method === 'HEAD' || OUTDATED.test(code(b)))],
  ['an embed by a foreign key of before', 'until the reload rows are joined by the columns that the foreign key had: they are rows of these tables all the same', (one, a, b, { early }) => early && /^PGRST20[01]$/.test(code(a)) && b.status === 200],
  ['an embed by columns that have exchanged their names', 'the same: until the reload rows are joined by the names that the columns of the foreign key had', (one, a, b, { early, kind }) => early && kind === 'swapColumns' && /select=[^&]*\(/.test(one.path) && a.status === 200 && b.status === 200],
  ['a hint that names another table', 'hints name only tables that the caller may see, PostgREST names all', (one, a, b) => one.role !== 'service' && code(a) === 'PGRST200' && code(b) === 'PGRST200' && a.body.message === b.body.message],
  ['an argument that the function of before would not take', 'until the reload arguments are cast to the types of before, which refuse some values of the new ones', (one, a, b, { early }) => early && one.path.startsWith('/rpc/') && /^22/.test(code(b))],
  ["a call's alias in an error", 'since 13.0 a call selects the columns that filters need, so the error names the call', (one, a, b) => one.path.startsWith('/rpc/') && code(a) === '42703' && code(b) === '42703' && /pgrst_call/.test(b.body.message)],
  ['a function that no longer returns its type', 'both refuse the call: one for the column that the request names, the other for the function, which the change has broken', (one, a, b) => one.path.startsWith('/rpc/') && code(a) === '42703' && code(b) === '42P13'],
]

/**
 * Returns the name of the reason for a difference, if there is one. For an early error, the name includes the error code, which appears in the
 * summary.
 */
export function explain(one, expected, answer, circumstances) {
  const name = EXPLANATIONS.find(([, , fits]) => fits(one, expected, answer, circumstances))?.[0]
  return name && circumstances.early ? `${name}: ${code(answer) ?? answer.status} for ${expected.status}` : name
}
