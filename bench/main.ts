/**
 * Measures the server against what the machine can do at most.
 *
 *   npm run bench [name …] [--strict]
 *
 * Each pair of figures is measured in turns in the same run, so their ratio holds on a busy machine too.
 * With --strict a missed target is a failure.
 */
import type { Measurement, Row } from './measurement.ts'
import * as getWorkflow from './measurements/get-workflow.ts'
import * as idleMemory from './measurements/idle-memory.ts'
import * as largeFiles from './measurements/large-files.ts'
import * as manyWorkflows from './measurements/many-workflows.ts'
import * as readsBesideWrites from './measurements/reads-beside-writes.ts'
import * as start from './measurements/start.ts'
import * as updateWorkflow from './measurements/update-workflow.ts'
import * as updatesPerCommit from './measurements/updates-per-commit.ts'
import { printTable } from './print-table.ts'

const measurements: readonly Measurement[] = [
  getWorkflow,
  updateWorkflow,
  updatesPerCommit,
  readsBesideWrites,
  manyWorkflows,
  largeFiles,
  start,
  idleMemory,
]

function chosen(names: readonly string[]): readonly Measurement[] {
  const unknown = names.filter(name => !measurements.some(measurement => measurement.name === name))
  if (unknown.length > 0) {
    const known = measurements.map(measurement => measurement.name).join(', ')
    console.error(`There is no measurement ${unknown.join(', ')}; there are ${known}`)
    process.exit(2)
  }
  return names.length === 0 ? measurements : measurements.filter(({ name }) => names.includes(name))
}

const argumentsGiven = process.argv.slice(2)
const rows: Row[] = []
for (const { name, run } of chosen(argumentsGiven.filter(argument => argument !== '--strict'))) {
  console.error(`${name} …`)
  try {
    rows.push(...(await run()))
  } catch (error) {
    console.error(error)
    rows.push({ what: name, ours: 'failed', met: false })
  }
}
printTable(rows)
const missed = rows.filter(row => row.met === false).length
console.log(missed === 0 ? '\nNo target was missed.' : `\n${missed} missed.`)
if (missed > 0 && argumentsGiven.includes('--strict')) process.exitCode = 1
