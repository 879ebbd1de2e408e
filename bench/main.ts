/**
 * Measures the server against the limits of the machine. The two figures of a ratio are measured alternately in the
 * same run, so that the ratio also holds on a busy machine.
 */
import { parseArgs } from 'node:util'
import { installLibraries } from './install-libraries.ts'
import type { Measurement, Row } from './measurement.ts'
import * as codeNodes from './measurements/code-nodes.ts'
import * as consolePages from './measurements/console.ts'
import * as conversationsFirstPiece from './measurements/conversations-first-piece.ts'
import * as conversationsRetrieve from './measurements/conversations-retrieve.ts'
import * as engineSteps from './measurements/engine-steps.ts'
import * as getWorkflow from './measurements/get-workflow.ts'
import * as hybrid from './measurements/hybrid.ts'
import * as idleMemory from './measurements/idle-memory.ts'
import * as knowledgeIngestion from './measurements/knowledge-ingestion.ts'
import * as knowledgeLibraries from './measurements/knowledge-libraries.ts'
import * as knowledgeNeighbours from './measurements/knowledge-neighbours.ts'
import * as knowledgeSearch from './measurements/knowledge-search.ts'
import * as largeFiles from './measurements/large-files.ts'
import * as lists from './measurements/lists.ts'
import * as manyWorkflows from './measurements/many-workflows.ts'
import * as openaiFirstPiece from './measurements/openai-first-piece.ts'
import * as postgresKnowledge from './measurements/postgres-knowledge.ts'
import * as postgresReplicas from './measurements/postgres-replicas.ts'
import * as postgresRequests from './measurements/postgres-requests.ts'
import * as quality from './measurements/quality.ts'
import * as readsBesideWrites from './measurements/reads-beside-writes.ts'
import * as runsPerSecond from './measurements/runs-per-second.ts'
import * as runsStreams from './measurements/runs-streams.ts'
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
  lists,
  largeFiles,
  start,
  idleMemory,
  knowledgeIngestion,
  knowledgeNeighbours,
  knowledgeSearch,
  knowledgeLibraries,
  engineSteps,
  runsPerSecond,
  runsStreams,
  codeNodes,
  conversationsRetrieve,
  conversationsFirstPiece,
  openaiFirstPiece,
  postgresRequests,
  postgresReplicas,
  postgresKnowledge,
  consolePages,
  quality,
  hybrid,
]

const isSelected = (measurement: Measurement, name: string): boolean =>
  measurement.name === name || measurement.name.startsWith(`${name}-`)

const usage = `Usage: npm run bench -- [name …] [--strict] [--quick]
       npm run bench -- quality data-set.json
       npm run bench -- hybrid english-data-set.json

Without a name, all measurements run, which takes about an hour. A name can also be a prefix: \`knowledge\` selects all
measurements that start with it.

  --strict  exit with 1 if a target is missed
  --quick   leave out the sizes that take minutes
  --help    show this text

Measurements: ${measurements.map(measurement => measurement.name).join(', ')}`

function refuse(problem: string): never {
  console.error(problem)
  process.exit(2)
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        strict: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    return refuse(`${(error as Error).message}\n\n${usage}`)
  }
}

function chosen(names: readonly string[]): readonly Measurement[] {
  const unknown = names.filter(name => !measurements.some(measurement => isSelected(measurement, name)))
  if (unknown.length > 0) refuse(`There is no measurement ${unknown.join(', ')}.\n\n${usage}`)
  return names.length === 0
    ? measurements.filter(measurement => !measurement.needsPath)
    : measurements.filter(measurement => names.some(name => isSelected(measurement, name)))
}

const { values: options, positionals: words } = readArguments()
if (options.help) {
  console.log(usage)
  process.exit()
}
const path = words.find(word => word.endsWith('.json'))
const rows: Row[] = []
for (const { name, needsPath, needsLibraries, run } of chosen(words.filter(word => word !== path))) {
  if (needsPath && path === undefined)
    refuse(`A data set is required: npm run bench -- ${name} data-set.json`)
  console.error(`${name} …`)
  try {
    if (needsLibraries) installLibraries()
    rows.push(...(await run({ isQuick: options.quick, path })))
  } catch (error) {
    console.error(error)
    rows.push({ label: name, ours: 'failed', met: false })
  }
}
printTable(rows)
const missed = rows.filter(row => row.met === false).length
console.log(missed === 0 ? '\nNo target was missed.' : `\n${missed} missed.`)
if (missed > 0 && options.strict) process.exitCode = 1
