import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { BareJob, BareResult } from '../knowledge/bare-pipeline.ts'
import { untilIdle } from '../knowledge/idle-server.ts'
import { KnowledgeClient, type TextToAdd } from '../knowledge/knowledge-client.ts'
import { charactersOf, sampleDocuments, writeDocuments } from '../knowledge/sample-documents.ts'
import { atLeast, type BenchOptions, type Row } from '../measurement.ts'
import { runElsewhere } from '../other-process.ts'
import { peakBytes, residentBytes, type ServerProcess, withServer } from '../server-process.ts'
import { sideBySide } from '../side-by-side.ts'
import { charactersPerSecond, megabytes } from '../units.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'knowledge-ingestion'

interface Load {
  label: string
  documents: number
  bytes: number
  rounds: number
}

/** Every round has new text, because equal content would be stored only once. */
interface Round {
  texts: TextToAdd[]
  paths: string[]
}

async function prepare(folder: string, load: Load): Promise<Round[]> {
  const rounds: Round[] = []
  for (let round = 0; round < load.rounds; round++) {
    const place = join(folder, `${load.documents}-${round}`)
    await mkdir(place)
    const texts = [...sampleDocuments(load.documents + round, load.documents, load.bytes)]
    rounds.push({ texts, paths: await writeDocuments(place, texts) })
  }
  return rounds
}

async function measure(server: ServerProcess, folder: string, load: Load): Promise<Row> {
  const client = new KnowledgeClient(server)
  const rounds = await prepare(folder, load)
  let [oursAt, bareAt] = [0, 0]
  const ours = async (): Promise<number> => {
    const { texts } = rounds[oursAt++]!
    const knowledgeId = await client.create(`${load.label} ${oursAt}`)
    const begun = performance.now()
    await client.addTexts(knowledgeId, texts)
    await client.untilReady(knowledgeId)
    const seconds = (performance.now() - begun) / 1000
    // Merges that follow must not slow down the other side.
    await untilIdle(server.pid)
    return charactersOf(texts) / seconds
  }
  const bare = async (): Promise<number> => {
    const { texts, paths } = rounds[bareAt++]!
    const { seconds } = await runElsewhere<BareJob, BareResult>('knowledge/bare-pipeline.ts', {
      paths,
      database: join(folder, 'bare.db'),
    })
    return charactersOf(texts) / seconds
  }
  const pair = await sideBySide(load.rounds, ours, bare)
  return {
    label: `Ingestion of ${load.label}, by keywords, against segmenting and one FTS5 transaction`,
    ours: charactersPerSecond(pair.ours),
    limit: charactersPerSecond(pair.limit),
    ...atLeast(pair.ratio, 0.5),
  }
}

export const run = ({ isQuick }: BenchOptions): Promise<Row[]> =>
  withWorkFolder(folder =>
    withServer(join(folder, 'data'), async server => {
      const loads: Load[] = [
        { label: '50 texts of 200 kB', documents: 50, bytes: 200_000, rounds: 3 },
        { label: '2,000 texts of 2 kB', documents: 2000, bytes: 2000, rounds: 1 },
      ]
      if (isQuick) for (const load of loads) load.documents /= 5
      const before = await residentBytes(server.pid)
      const rows: Row[] = []
      const peak = await peakBytes(server.pid, async () => {
        // The ingestion threads start with the first document.
        await measure(server, folder, { ...loads[0]!, label: 'a first text', documents: 4, rounds: 1 })
        for (const load of loads) rows.push(await measure(server, folder, load))
      })
      rows.push({ label: '  memory that took', ours: megabytes(peak - before) })
      return rows
    }),
  )
