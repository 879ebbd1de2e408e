import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { areaOf, type TestProcess } from './test-areas.ts'

/**
 * The areas whose tests run mainly in their own process. Loading the program takes a second of CPU time, and loaded
 * code becomes faster as it runs, so a group of files takes half the time of single ones. The other areas start servers
 * or browsers, so their files run better side by side.
 */
const grouped = new Set([
  'backup',
  'cli',
  'cluster',
  'conformance',
  'console',
  'conversations',
  'egress',
  'files',
  'http',
  'import',
  'kernel',
  'knowledge',
  'models',
  'nodes',
  'shared-tools',
  'tools',
  'triggers',
  'workflow',
])
/** More would leave one process to run alone at the end. */
const maxFilesPerGroup = 12
const needsOwnProcess = /^\/\/ Own process: /m

export const singleFiles = (root: string, files: readonly string[]): TestProcess[] =>
  files.map(file => ({ entry: join(root, file), area: areaOf(file), files: [file] }))

/** Groups the files of an area, in their order. The modules of the groups are written to `folder`. */
export function groupFiles(root: string, files: readonly string[], folder: string): TestProcess[] {
  const processes = [...Map.groupBy(files, areaOf)].flatMap(([area, members]) => {
    const [alone, together] = [true, false].map(isAlone =>
      members.filter(file => isAlone === (!grouped.has(area) || ownsProcess(root, file))),
    ) as [string[], string[]]
    const count = Math.ceil(together.length / maxFilesPerGroup)
    // Neighbours often take equally long, so each goes to another group.
    const groups = Array.from({ length: count }, (_, at) =>
      together.filter((_, index) => index % count === at),
    )
    return [
      ...singleFiles(root, alone),
      ...groups.map((group, at) => ({
        entry: writeEntry(root, group, join(folder, area), `${area}-${at + 1}.mjs`),
        area,
        files: group,
      })),
    ]
  })
  return mix(processes)
}

/** Groups need a processor, and single files mostly wait for processes and timers, so they are mixed evenly. */
function mix(processes: readonly TestProcess[]): TestProcess[] {
  const kinds = Object.values(Object.groupBy(processes, ({ files }) => (files.length > 1 ? 'group' : 'file')))
  return kinds
    .flatMap(kind => kind.map((process, at) => ({ process, at: (at + 0.5) / kind.length })))
    .sort((a, b) => a.at - b.at)
    .map(({ process }) => process)
}

const ownsProcess = (root: string, file: string): boolean =>
  needsOwnProcess.test(readFileSync(join(root, file), 'utf8'))

function writeEntry(root: string, files: readonly string[], folder: string, name: string): string {
  mkdirSync(folder, { recursive: true })
  const entry = join(folder, name)
  const loader = pathToFileURL(join(root, 'test/support/load-group.ts'))
  writeFileSync(
    entry,
    `import { loadGroup } from ${JSON.stringify(loader)}\nawait loadGroup(${JSON.stringify(files)})\n`,
  )
  return entry
}
