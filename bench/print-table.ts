import type { Row } from './measurement.ts'

const headings = ['what', 'ours', 'bare limit', 'ratio', 'target', '']

/** Widths are counted in characters: no text here has Chinese characters or emoji, which take two columns. */
const cells = ({ label, ours, limit, ratio, target, met }: Row): string[] => [
  label,
  ours,
  limit ?? '',
  ratio === undefined ? '' : ratio.toFixed(2),
  target ?? '',
  met === undefined ? '' : met ? 'ok' : 'MISSED',
]

export function printTable(rows: readonly Row[]): void {
  const lines = [headings, ...rows.map(cells)]
  const widths = headings.map((_, column) => Math.max(...lines.map(line => line[column]!.length)))
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
}
