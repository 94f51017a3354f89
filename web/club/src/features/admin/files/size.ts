const units = ['bytes', 'KB', 'MB', 'GB']

/** "812 bytes", "2.4 MB" */
export function formatSize(bytes: number): string {
  const step = bytes > 0 ? Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1) : 0
  const value = bytes / 1000 ** step
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step]}`
}
