import { join } from 'node:path'
import { untilIdle } from '../knowledge/idle-server.ts'
import { KnowledgeClient } from '../knowledge/knowledge-client.ts'
import { knownAnswers } from '../knowledge/known-answers.ts'
import type { LibraryJob, LibraryResult } from '../knowledge/library-process.ts'
import { qualityOf } from '../knowledge/rank-quality.ts'
import type { SearchJob, SearchOutcome } from '../knowledge/search-client.ts'
import { shownTimes } from '../knowledge/times.ts'
import type { Language } from '../knowledge/vocabulary.ts'
import type { BenchOptions, Row } from '../measurement.ts'
import { runElsewhere } from '../other-process.ts'
import { residentBytes, token, withServer } from '../server-process.ts'
import { megabytes } from '../units.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'knowledge-libraries'
export const needsLibraries = true

const languages: Record<Language, string> = { zh: 'Chinese', en: 'English' }

interface Sizes {
  passages: number
  questions: number
}

const passageName = (number: number): string => `p${number}.txt`

/** Measures the server end to end: every passage is a document, added and searched over HTTP. */
const measureOurs = (language: Language, { passages, questions }: Sizes): Promise<LibraryResult> =>
  withWorkFolder(folder =>
    withServer(join(folder, 'data'), async server => {
      const answers = knownAnswers(language, passages, questions)
      const client = new KnowledgeClient(server)
      const memoryBefore = await residentBytes(server.pid)
      const knowledgeId = await client.create('Passages')
      const begun = performance.now()
      await client.addTexts(
        knowledgeId,
        answers.passages.map((content, number) => ({ name: passageName(number), content })),
      )
      await client.untilReady(knowledgeId)
      const buildMilliseconds = performance.now() - begun
      await untilIdle(server.pid)
      const { overHttp, found } = await runElsewhere<SearchJob, SearchOutcome>('knowledge/search-client.ts', {
        base: server.base,
        token,
        knowledgeId,
        questions: answers.questions.map(({ text }) => text),
        topK: 10,
        connections: 1,
      })
      const ranks = answers.questions.map(({ passage }, number) =>
        found[number]!.findIndex(item => item.file_name === passageName(passage)),
      )
      return {
        buildMilliseconds,
        times: overHttp,
        memoryBytes: (await residentBytes(server.pid)) - memoryBefore,
        ...qualityOf(ranks),
      }
    }),
  )

const shown = (label: string, result: LibraryResult): Row => ({
  label: `  ${label}`,
  ours: [
    `${(result.buildMilliseconds / 1000).toFixed(1)} s`,
    megabytes(result.memoryBytes),
    shownTimes(result.times),
    result.recallAt1.toFixed(3),
    result.mrr.toFixed(3),
  ].join(' | '),
})

export const run = async ({ isQuick }: BenchOptions): Promise<Row[]> => {
  const sizes = isQuick ? { passages: 2000, questions: 200 } : { passages: 10_000, questions: 400 }
  const libraries = (['MiniSearch', 'Orama'] as const).flatMap(library =>
    (['own', 'Intl.Segmenter'] as const).map(words => ({ library, words })),
  )
  const rows: Row[] = []
  for (const language of ['zh', 'en'] as const) {
    rows.push({
      label: `${sizes.passages.toLocaleString('en')} passages, ${languages[language]}, found by keywords`,
      ours: 'build | memory | search p50, p95 | first | MRR@10',
    })
    rows.push(shown('ours, over HTTP, stored durably', await measureOurs(language, sizes)))
    for (const choice of libraries) {
      const job: LibraryJob = { ...choice, language, ...sizes }
      const result = await runElsewhere<LibraryJob, LibraryResult>('knowledge/library-process.ts', job)
      rows.push(shown(`${choice.library}, in memory, words by ${choice.words}`, result))
    }
  }
  return rows
}
