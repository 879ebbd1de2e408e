import type { Row } from './measurement.ts'

const headings = ['what', 'ours', 'bare limit', 'ratio', 'target', '']

/** Most letters of a Chinese or emoji name would be two columns wide; nothing here has one. */
const cells = ({ what, ours, limit, ratio, target, met }: Row): string[] => [
  what,
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
