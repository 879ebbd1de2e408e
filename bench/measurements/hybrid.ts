import { join } from 'node:path'
import { KnowledgeClient } from '../knowledge/knowledge-client.ts'
import { passageName, rankOf, readQuestionSet } from '../knowledge/question-set.ts'
import type { SearchJob, SearchMode, SearchOutcome } from '../knowledge/search-client.ts'
import type { BenchOptions, Row } from '../measurement.ts'
import { runElsewhere, startElsewhere } from '../other-process.ts'
import { token, withServer } from '../server-process.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'hybrid'
export const needsPath = true
export const needsLibraries = true

const modes = ['keyword', 'semantic', 'hybrid'] as const satisfies SearchMode[]
/** The model embeds a few texts per second, and every question is asked twice with it. */
const maxQuestions = { quick: 100, all: 300 }

/** nDCG with one right passage per question: 1 / log2(rank + 1) for ranks from 1. */
const gainAt = (rank: number): number => (rank >= 0 && rank < 10 ? 1 / Math.log2(rank + 2) : 0)

/** Keyword, semantic and hybrid search with a real embedding model: hybrid has to be as good as the better of the two. */
export const run = ({ path, isQuick }: BenchOptions): Promise<Row[]> =>
  withWorkFolder(async folder => {
    const { passages, questions: all } = await readQuestionSet(path!)
    const every = Math.ceil(all.length / (isQuick ? maxQuestions.quick : maxQuestions.all))
    const questions = all.filter((_, at) => at % every === 0)
    const endpoint = await startElsewhere<object, { port: number }>('knowledge/english-model-server.ts', {})
    const address = `127.0.0.1:${endpoint.announcement.port}`
    const environment = {
      EMBEDDING_BASE_URL: `http://${address}/v1`,
      EMBEDDING_MODEL: 'model-embeddings-en',
      EGRESS_ALLOW: address,
    }
    try {
      return await withServer(
        join(folder, 'data'),
        async server => {
          const client = new KnowledgeClient(server)
          const knowledgeId = await client.create('Hybrid', {})
          await client.addTexts(
            knowledgeId,
            passages.map((content, number) => ({ name: passageName(number), content })),
          )
          await client.untilReady(knowledgeId)
          const quality: Record<SearchMode, number> = { keyword: 0, semantic: 0, hybrid: 0 }
          for (const mode of modes) {
            const job = { base: server.base, token, knowledgeId, mode, topK: 20, connections: 1 }
            const { found } = await runElsewhere<SearchJob, SearchOutcome>('knowledge/search-client.ts', {
              ...job,
              questions: questions.map(({ question }) => question),
            })
            const gains = questions.map(({ number }, at) => gainAt(rankOf(found[at]!, passageName(number))))
            quality[mode] = gains.reduce((sum, gain) => sum + gain, 0) / gains.length
          }
          const better = Math.max(quality.keyword, quality.semantic)
          return [
            {
              label: `${questions.length} questions to ${passages.length} passages, nDCG@10: keyword`,
              ours: quality.keyword.toFixed(3),
            },
            { label: '  semantic', ours: quality.semantic.toFixed(3) },
            {
              label: '  hybrid, against the better of the two',
              ours: quality.hybrid.toFixed(3),
              limit: better.toFixed(3),
              target: '≥ 1',
              ratio: quality.hybrid / better,
              met: quality.hybrid >= better,
            },
          ]
        },
        environment,
      )
    } finally {
      await endpoint.stop()
    }
  })
