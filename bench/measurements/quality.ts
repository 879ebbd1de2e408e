import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { KnowledgeClient } from '../knowledge/knowledge-client.ts'
import { qualityOf } from '../knowledge/rank-quality.ts'
import type { FoundItem, SearchJob, SearchOutcome } from '../knowledge/search-client.ts'
import { shownTimes } from '../knowledge/times.ts'
import type { BenchOptions, Row } from '../measurement.ts'
import { runElsewhere } from '../other-process.ts'
import { token, withServer } from '../server-process.ts'
import { share } from '../units.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'quality'
export const needsPath = true

interface Paragraph {
  context: string
  qas: { question: string }[]
}

/** As SQuAD and CMRC 2018 come: articles of paragraphs, or paragraphs alone. */
type DataSet = { data: DataSet } | ({ paragraphs: Paragraph[] } | Paragraph)[]

async function readDataSet(path: string): Promise<Paragraph[]> {
  const content = JSON.parse(await readFile(path, 'utf8')) as DataSet
  const entries = Array.isArray(content) ? content : (content.data as Exclude<DataSet, { data: DataSet }>)
  return entries.flatMap(entry => ('paragraphs' in entry ? entry.paragraphs : [entry]))
}

const passageName = (number: number): string => `passage ${number}.txt`

/** A long passage is cut into chunks; the first of them counts for it. */
function rankOf(found: readonly FoundItem[], fileName: string): number {
  return [...new Set(found.map(item => item.file_name))].indexOf(fileName)
}

/** Every paragraph is put in as a document; the right answer to a question is the paragraph it was written for. */
export const run = ({ path }: BenchOptions): Promise<Row[]> =>
  withWorkFolder(folder =>
    withServer(join(folder, 'data'), async server => {
      const paragraphs = await readDataSet(path!)
      const questions = paragraphs.flatMap(({ qas }, number) =>
        qas.flatMap(({ question }) => (question.trim() === '' ? [] : [{ question, number }])),
      )
      const client = new KnowledgeClient(server)
      const knowledgeId = await client.create('Quality', {})
      await client.addTexts(
        knowledgeId,
        paragraphs.map(({ context }, number) => ({ name: passageName(number), content: context })),
      )
      const { chunk_count } = await client.untilReady(knowledgeId)
      const { overHttp, found } = await runElsewhere<SearchJob, SearchOutcome>('knowledge/search-client.ts', {
        base: server.base,
        token,
        knowledgeId,
        questions: questions.map(({ question }) => question),
        // More than ten: two chunks of one document take one place.
        topK: 20,
        connections: 1,
      })
      const quality = qualityOf(questions.map(({ number }, at) => rankOf(found[at]!, passageName(number))))
      return [
        {
          what: `${questions.length} questions to ${paragraphs.length} passages (${chunk_count} chunks): the right one first`,
          ours: share(quality.recallAt1),
        },
        { what: '  among the first ten', ours: share(quality.recallAt10) },
        { what: '  MRR@10', ours: quality.mrr.toFixed(4) },
        { what: '  over HTTP, p50 and p95', ours: shownTimes(overHttp) },
      ]
    }),
  )
