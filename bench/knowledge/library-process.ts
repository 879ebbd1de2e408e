import { create, insertMultiple, search } from '@orama/orama'
import MiniSearch from 'minisearch'
import { takeJob } from '../other-process.ts'
import { type KnownAnswers, knownAnswers } from './known-answers.ts'
import { qualityOf, type RankQuality } from './rank-quality.ts'
import { type Times, timesOf } from './times.ts'
import type { Language } from './vocabulary.ts'

export interface LibraryJob {
  library: 'MiniSearch' | 'Orama'
  /** The tokenizer: the library's own, or Intl.Segmenter. */
  words: 'own' | 'Intl.Segmenter'
  language: Language
  passages: number
  questions: number
}

export interface LibraryResult extends RankQuality {
  buildMilliseconds: number
  times: Times
  memoryBytes: number
}

/** Numbers of passages, the best first. */
type Search = (question: string) => Promise<number[]>

const depth = 10
const segmenter = new Intl.Segmenter('zh', { granularity: 'word' })

function segmented(text: string): string[] {
  const words: string[] = []
  for (const { segment, isWordLike } of segmenter.segment(text))
    if (isWordLike) words.push(segment.toLowerCase())
  return words
}

async function buildMiniSearch(passages: readonly string[], job: LibraryJob): Promise<Search> {
  const index = new MiniSearch<{ id: number; text: string }>({
    fields: ['text'],
    ...(job.words !== 'own' && { tokenize: segmented }),
  })
  index.addAll(passages.map((text, id) => ({ id, text })))
  return async question =>
    index
      .search(question)
      .slice(0, depth)
      .map(({ id }) => id as number)
}

async function buildOrama(passages: readonly string[], job: LibraryJob): Promise<Search> {
  const index = create({
    schema: { text: 'string' },
    ...(job.words !== 'own' && {
      components: {
        // Like the library's own tokenizer, returns every word once, which gives better results.
        tokenizer: {
          language: 'chinese',
          normalizationCache: new Map(),
          tokenize: text => [...new Set(segmented(text))],
        },
      },
    }),
  })
  await insertMultiple(
    index,
    passages.map((text, id) => ({ id: String(id), text })),
  )
  return async question =>
    (await search(index, { term: question, limit: depth })).hits.map(hit => Number(hit.id))
}

async function ask({ questions }: KnownAnswers, find: Search): Promise<{ times: Times; ranks: number[] }> {
  const ranks: number[] = []
  const times: number[] = []
  for (const { text, passage } of questions) {
    const begun = performance.now()
    const found = await find(text)
    times.push(performance.now() - begun)
    ranks.push(found.indexOf(passage))
  }
  return { times: timesOf(times), ranks }
}

/** Measures an alternative library, in a process of its own so that its memory can be measured. */
takeJob(async (job: LibraryJob): Promise<LibraryResult> => {
  const answers = knownAnswers(job.language, job.passages, job.questions)
  const memoryBefore = process.memoryUsage().rss
  const begun = performance.now()
  const find = await (job.library === 'Orama' ? buildOrama : buildMiniSearch)(answers.passages, job)
  const buildMilliseconds = performance.now() - begun
  const { times, ranks } = await ask(answers, find)
  return {
    buildMilliseconds,
    times,
    memoryBytes: process.memoryUsage().rss - memoryBefore,
    ...qualityOf(ranks),
  }
})
