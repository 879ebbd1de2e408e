import type { Tone } from '../../../ui/badge.tsx'
import { defineWords } from '../../../ui/words.ts'
import type { GoldenResult } from './golden-data.ts'

export const useGoldenWords = defineWords(
  {
    title: 'Golden questions',
    question: 'Question',
    rank: (rank: number) => `Rank ${rank}`,
    lost: 'Lost',
    not_found: 'Not found',
    no_document: 'Document removed',
    found: 'Found',
    before: (rank: number) => `rank ${rank} before`,
    change: (before: number, now: number | null) =>
      now === null ? `rank ${before} before, not found now` : `rank ${before} before, ${now} now`,
    same: 'same rank as before',
    beyond: (rank: number, topK: number) => `rank ${rank}, after the first ${topK}`,
    foundOf: (hits: number, total: number) => `${hits} of ${total} found`,
    lostCount: (lost: number) => `${lost} lost`,
    run: 'Run now',
  },
  {
    title: '标准问题',
    question: '问题',
    rank: (rank: number) => `第 ${rank} 名`,
    lost: '丢失',
    not_found: '未找到',
    no_document: '文档已移除',
    found: '已找到',
    before: (rank: number) => `之前第 ${rank} 名`,
    change: (before: number, now: number | null) =>
      now === null ? `之前第 ${before} 名，现在找不到` : `之前第 ${before} 名，现在第 ${now} 名`,
    same: '与之前名次相同',
    beyond: (rank: number, topK: number) => `第 ${rank} 名，不在前 ${topK} 名之内`,
    foundOf: (hits: number, total: number) => `${total} 个中找到 ${hits} 个`,
    lostCount: (lost: number) => `丢失 ${lost} 个`,
    run: '立即运行',
  },
)

export const useReasonWords = defineWords(
  { manual: 'Manual', index: 'New index', retrieval: 'New search options' },
  { manual: '手动', index: '新索引', retrieval: '新的搜索选项' },
)

export const outcomeTones: Readonly<Record<GoldenResult['outcome'], Tone>> = {
  found: 'good',
  lost: 'bad',
  not_found: 'warning',
  no_document: 'plain',
}
