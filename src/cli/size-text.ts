export function sizeText(bytes: number): string {
  if (bytes < 10 << 10) return `${bytes} bytes`
  if (bytes < 10 << 20) return `${(bytes / 1024).toFixed(0)} KiB`
  return `${(bytes / (1 << 20)).toFixed(0)} MiB`
}
