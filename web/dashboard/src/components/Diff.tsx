import { cn } from '@cloch/ui/lib/cn'

const tones: Record<string, string> = {
  '+': 'bg-success-wash text-success',
  '-': 'bg-destructive-wash text-destructive',
  '@': 'text-muted-foreground',
}

/** The changed lines of a file, with unchanged lines around them. The first character of each line is `+`, `-` or a space. */
export function Diff({ file, lines }: { file: string; lines: readonly string[] }) {
  return (
    <section className="grid min-w-0 gap-1">
      <h3 className="text-small font-strong">{file}</h3>
      <pre
        tabIndex={0}
        role="region"
        aria-label={`Change of ${file}`}
        className="max-h-96 overflow-auto rounded border bg-card py-2"
      >
        {lines.map((line, index) => (
          <span key={index} className={cn('block min-w-max px-3', tones[line[0] ?? ''])}>
            {line || ' '}
          </span>
        ))}
      </pre>
    </section>
  )
}
