import { Prose, sentenceOf } from './prose.ts'
import { pick } from './random.ts'
import { type Language, vocabularies } from './vocabulary.ts'

export interface KnownAnswers {
  passages: string[]
  /** Questions with the number of the passage that each was generated from. */
  questions: { text: string; passage: number }[]
}

const passageLength: Record<Language, number> = { zh: 280, en: 1100 }
const glue: Record<Language, readonly string[]> = {
  zh: ['关于', '有什么', '情况', '问题', '是不是', '说明'],
  en: ['about', 'what is', 'the', 'with', 'problem of', 'information on'],
}

const topicRarity = 600

/**
 * Passages, and questions for some of them. A question has three words of one sentence of its passage, at least one of
 * them rare, and common words. Other passages contain each of the words, too, but hardly all of them.
 */
export function knownAnswers(language: Language, passages: number, questions: number): KnownAnswers {
  const ranks = new Map(vocabularies[language].words.map((word, rank) => [word, rank]))
  // Words of a topic are in no list: they are rarer than everyday words, and more common than names.
  const rarity = (word: string): number => (/^\d/.test(word) ? 0 : (ranks.get(word) ?? topicRarity))
  const prose = new Prose(passages)
  const answers: KnownAnswers = { passages: [], questions: [] }
  const every = Math.floor(passages / questions)
  for (let passage = 0; passage < passages; passage++) {
    const topic = prose.topic(language)
    const isAsked = passage % every === 0 && answers.questions.length < questions
    const key = prose.words(language, topic)
    const before = prose.paragraph(language, topic, passageLength[language] * prose.random())
    const sentence = sentenceOf(language, key).trimEnd()
    const after = prose.paragraph(language, topic, Math.max(40, passageLength[language] - before.length))
    answers.passages.push([before, sentence, after].join(language === 'zh' ? '' : ' ').trim())
    if (!isAsked) continue
    const rarest = [...new Set(key)].toSorted((left, right) => rarity(right) - rarity(left)).slice(0, 3)
    const words = [pick(glue[language], prose.random), ...rarest, pick(glue[language], prose.random)]
    answers.questions.push({ text: words.join(language === 'zh' ? '' : ' '), passage })
  }
  return answers
}
