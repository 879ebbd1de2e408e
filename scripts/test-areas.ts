import { relative, sep } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

/**
 * The areas of the tests (folders in test/), those with the longest single files first: a long file that starts last
 * would run alone at the end.
 */
const longestFirst = [
  'e2e',
  'drills',
  'cli',
  'docs',
  'tools',
  'http',
  'workflow',
  'knowledge',
  'backup',
  'conformance',
]

export const areaOf = (file: string): string => file.split(sep)[1] ?? file

export function orderFiles(files: readonly string[]): string[] {
  const rank = (file: string): number => {
    const at = longestFirst.indexOf(areaOf(file))
    return at === -1 ? longestFirst.length : at
  }
  return files.toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b))
}

interface Area {
  files: number
  tests: number
  failed: number
  milliseconds: number
}

/** Adds up the files of each area while the runner reports them. */
export class AreaTimes {
  readonly #areas = new Map<string, Area>()
  readonly #files: { name: string; milliseconds: number }[] = []
  readonly #root: string
  readonly #startedAt = performance.now()
  #total = ''

  constructor(root: string) {
    this.#root = root
  }

  add(event: TestEvent): void {
    if (event.type !== 'test:summary') return
    const { counts: all } = event.data
    // The summary without a file is that of the whole run; a file that could not be loaded is only in that one.
    if (!event.data.file) {
      const failed = all.tests - all.passed - all.skipped - all.todo
      this.#total = `${all.tests} tests: ${all.passed} passed, ${failed} failed, ${all.skipped} skipped`
      return
    }
    const name = relative(this.#root, event.data.file)
    const area = this.#areas.get(areaOf(name)) ?? { files: 0, tests: 0, failed: 0, milliseconds: 0 }
    const { duration_ms: milliseconds, counts } = event.data
    this.#files.push({ name, milliseconds })
    this.#areas.set(areaOf(name), {
      files: area.files + 1,
      tests: area.tests + counts.tests,
      failed: area.failed + counts.tests - counts.passed - counts.skipped - counts.todo,
      milliseconds: area.milliseconds + milliseconds,
    })
  }

  /** A table of the areas and the slowest files. Files run side by side, so the sum exceeds the time of the run. */
  report(): string {
    const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`.padStart(10)
    const areas = [...this.#areas].sort(([, a], [, b]) => b.milliseconds - a.milliseconds)
    const sum = areas.reduce((total, [, area]) => total + area.milliseconds, 0)
    const slowest = this.#files.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, 5)
    return [
      'Time per area (folder in test/)',
      ...areas.map(
        ([name, area]) =>
          `  ${name.padEnd(16)}${seconds(area.milliseconds)}  ${String(area.tests).padStart(5)} tests in ${area.files} files` +
          (area.failed > 0 ? `, ${area.failed} failed` : ''),
      ),
      `  ${'all areas'.padEnd(16)}${seconds(sum)}  side by side in ${seconds(performance.now() - this.#startedAt).trim()}`,
      'Slowest files',
      ...slowest.map(({ name, milliseconds }) => `  ${seconds(milliseconds)}  ${name}`),
      this.#total,
    ].join('\n')
  }
}
