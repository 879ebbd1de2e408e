import { join } from 'node:path'
import { KnowledgeClient } from '../knowledge/knowledge-client.ts'
import { passageName, rankOf, readQuestionSet } from '../knowledge/question-set.ts'
import { qualityOf } from '../knowledge/rank-quality.ts'
import type { SearchJob, SearchOutcome } from '../knowledge/search-client.ts'
import { shownTimes } from '../knowledge/times.ts'
import type { BenchOptions, Row } from '../measurement.ts'
import { runElsewhere } from '../other-process.ts'
import { token, withServer } from '../server-process.ts'
import { share } from '../units.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'quality'
export const needsPath = true

/** Every paragraph is added as a document; the right answer to a question is the paragraph that it was written for. */
export const run = ({ path }: BenchOptions): Promise<Row[]> =>
  withWorkFolder(folder =>
    withServer(join(folder, 'data'), async server => {
      const { passages, questions } = await readQuestionSet(path!)
      const client = new KnowledgeClient(server)
      const knowledgeId = await client.create('Quality', {})
      await client.addTexts(
        knowledgeId,
        passages.map((content, number) => ({ name: passageName(number), content })),
      )
      const { chunk_count } = await client.untilReady(knowledgeId)
      const { overHttp, found } = await runElsewhere<SearchJob, SearchOutcome>('knowledge/search-client.ts', {
        base: server.base,
        token,
        knowledgeId,
        questions: questions.map(({ question }) => question),
        // More than ten, because several chunks of one document count as one result.
        topK: 20,
        connections: 1,
      })
      const quality = qualityOf(questions.map(({ number }, at) => rankOf(found[at]!, passageName(number))))
      return [
        {
          label: `${questions.length} questions to ${passages.length} passages (${chunk_count} chunks): the right one first`,
          ours: share(quality.recallAt1),
        },
        { label: '  among the first ten', ours: share(quality.recallAt10) },
        { label: '  MRR@10', ours: quality.mrr.toFixed(4) },
        { label: '  over HTTP, p50 and p95', ours: shownTimes(overHttp) },
      ]
    }),
  )
