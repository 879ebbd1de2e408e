import { sep } from 'node:path'
import type { EventData } from 'node:test'
import type { TestEvent } from 'node:test/reporters'

/** Test files that run in one process, and the module that it runs. */
export interface TestProcess {
  entry: string
  area: string
  files: string[]
}

/**
 * The areas of the tests (folders in test/), those with the longest single files first: a long file that starts last
 * would run alone at the end.
 */
const longestFirst = [
  'e2e',
  'docs',
  'drills',
  'cli',
  'deploy',
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
  readonly #processes: Map<string, TestProcess>
  readonly #reported = new Set<TestProcess>()
  readonly #fileNames: Map<string, string>
  readonly #startedAt = performance.now()
  #total = ''

  constructor(processes: readonly TestProcess[]) {
    this.#processes = new Map(processes.map(each => [each.entry, each]))
    this.#fileNames = new Map(
      processes.flatMap(({ entry, files }) =>
        files.map(file => [files.length === 1 && entry.endsWith(file) ? entry : file, file]),
      ),
    )
  }

  add(event: TestEvent): void {
    if (event.type === 'test:complete') this.#addFile(event.data)
    if (event.type !== 'test:summary') return
    const { counts: all } = event.data
    // The summary without a file is that of the whole run, which alone counts files that could not be loaded.
    if (!event.data.file) {
      const failed = all.tests - all.passed - all.skipped - all.todo
      this.#total = `${all.tests} tests: ${all.passed} passed, ${failed} failed, ${all.skipped} skipped`
      return
    }
    const process = this.#processes.get(event.data.file)!
    this.#reported.add(process)
    const { area: name, files } = process
    const area = this.#areas.get(name) ?? { files: 0, tests: 0, failed: 0, milliseconds: 0 }
    const { duration_ms: milliseconds, counts } = event.data
    this.#areas.set(name, {
      files: area.files + files.length,
      tests: area.tests + counts.tests,
      failed: area.failed + counts.tests - counts.passed - counts.skipped - counts.todo,
      milliseconds: area.milliseconds + milliseconds,
    })
  }

  /** In a group each file is a suite; otherwise the runner reports it as a test. Both are named after the file. */
  #addFile({ name, nesting, details }: EventData.TestComplete): void {
    const file = nesting === 0 && this.#fileNames.get(name)
    if (file) this.#files.push({ name: file, milliseconds: details.duration_ms })
  }

  /** The files of processes that ended without a summary. */
  unreported(): string[] {
    return [...this.#processes.values()]
      .filter(each => !this.#reported.has(each))
      .flatMap(({ files }) => files)
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
