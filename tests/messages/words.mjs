/** The placeholders in docs/operations/messages.md for values that differ between machines. */

/** Replaces values that differ between machines and runs. `names`: pairs of a text and its placeholder. */
export function normalised(text, names) {
  const known = names.filter(([from]) => from).sort(([a], [b]) => b.length - a.length)
  const named = known.reduce((rest, [from, to]) => rest.replaceAll(from, to), text)
  return named
    .replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z +(?=(?:INFO|WARN|ERROR) )/gm, '')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME')
    .replace(/\d{4}-\d\d-\d\d(?: \d\d:\d\d UTC)?/g, 'DATE')
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UUID')
    .replace(/\bsb_(secret|publishable)_[\w-]+/g, 'sb_$1_KEY')
    .replace(/#token=[\w-]+/g, '#token=TOKEN')
    .replace(/\b\d{8}T\d{9}Z of \S+,/g, 'RUN of HOST,')
    .replace(/\b\d+ base backups\b/g, 'N base backups')
    .replace(/\bID is [0-9a-f]{8}\b/g, 'ID is ID')
    .replace(/\bkey [0-9a-f]{8}\b/g, 'key ID')
    .replace(/(--port|\bport) \d{4,5}\b/g, '$1 PORT')
    .replace(/\bcloch \d+\.\d+\.\d+/g, 'cloch VERSION')
    .replace(/127\.0\.0\.1:\d{4,5}/g, '127.0.0.1:PORT')
    .replace(/\b(process|processes) \d+/g, '$1 N')
    .replace(/\b\d+(?:\.\d+)? (ms|s|kB|MB|bytes|files|rows|segments)\b/g, 'N $1')
    .replace(/\/usr\/lib\/postgresql\/\d+\/bin/g, 'POSTGRES')
    .replace(/PostgreSQL \d+\b/g, 'PostgreSQL N')
    .replace(/postgresql-\d+\b/g, 'postgresql-N')
    .replace(/\bversion 1\d\b/g, 'version N')
}
