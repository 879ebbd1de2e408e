import type { AbsenceCode } from '../../../../src/contract/knowledge-search.ts'
import type { Language } from '../preferences.ts'

/** Why a document is not in the results, in Chinese by its code; the English sentence comes from the server. */
export const chineseAbsences: Readonly<Record<AbsenceCode, string>> = {
  not_in_base: '它不是此知识库中的文档。',
  processing_failed: '文档处理失败，无法被搜索到。',
  not_indexed: '文档尚未处理完成。',
  filtered_out: '它被筛选条件排除了。',
  below_threshold: '它最相关的段落得分低于最低分数。',
  no_match: '它的段落中没有问题里的任何词。',
  disabled: '它最相关的段落不参与搜索，或刚刚被修改。',
  ranked_lower: '其他段落更相关；调大结果数量即可看到它。',
}

/** The Chinese text with the scores of the sentence. Codes of a newer server get a general text. */
export function absenceText(language: Language, { code, reason }: { code: string; reason: string }): string {
  if (language === 'en') return reason
  const known = code as AbsenceCode
  const text = Object.hasOwn(chineseAbsences, code) ? chineseAbsences[known] : '它没有进入结果。'
  const scores = reason.match(/\d+\.\d+/g) ?? []
  return scores.length > 0 ? `${text}（${scores.join('、')}）` : text
}
