import { Prose } from './prose.ts'
import type { Language } from './vocabulary.ts'

const openings: Record<Language, readonly string[]> = {
  zh: ['什么是', '为什么', '如何', '请问', '哪些', ''],
  en: ['what is the ', 'why did the ', 'how to ', 'where is the ', ''],
}

/** Typical queries: 8 to 30 characters with common words; this share also has a word of a topic. */
export function sampleQuestions(seed: number, count: number, topicShare = 0.8): string[] {
  const prose = new Prose(seed)
  return Array.from({ length: count }, (_, number) => {
    const language: Language = number % 2 === 0 ? 'zh' : 'en'
    const gap = language === 'zh' ? '' : ' '
    const topic = prose.topic(language)
    const opening = openings[language][Math.floor(prose.random() * openings[language].length)]!
    let question = `${opening}${prose.random() < topicShare ? topic[Math.floor(prose.random() ** 2 * topic.length)] : ''}`
    const length = 8 + prose.random() * 18
    while (question.length < length) question += `${gap}${prose.word(language, topic)}`
    return question.replaceAll('  ', ' ').slice(0, 30).trim()
  })
}
