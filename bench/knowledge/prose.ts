import { createRandom, createZipf, pick, type Random } from './random.ts'
import { type Language, vocabularies } from './vocabulary.ts'

const topicShare = 0.12
const numberShare = 0.01

/** Writes text with the word frequencies of real prose; equal seeds give equal text. */
export class Prose {
  readonly random: Random
  readonly #rank: Record<Language, () => number>

  constructor(seed: number) {
    this.random = createRandom(seed)
    this.#rank = {
      zh: createZipf(vocabularies.zh.words.length, this.random),
      en: createZipf(vocabularies.en.words.length, this.random),
    }
  }

  topic(language: Language): readonly string[] {
    return pick(vocabularies[language].topics, this.random)
  }

  word(language: Language, topic: readonly string[]): string {
    const chance = this.random()
    // Within a topic, some words are more frequent than others.
    if (chance < topicShare) return topic[Math.floor(this.random() ** 2 * topic.length)]!
    if (chance < topicShare + numberShare) return String(1 + Math.floor(this.random() ** 3 * 3000))
    return vocabularies[language].words[this.#rank[language]()]!
  }

  /** The words of a sentence, without punctuation. */
  words(language: Language, topic: readonly string[]): string[] {
    const count = 6 + Math.floor(this.random() * 16)
    return Array.from({ length: count }, () => this.word(language, topic))
  }

  paragraph(language: Language, topic: readonly string[], characters: number): string {
    let text = ''
    while (text.length < characters) text += sentenceOf(language, this.words(language, topic))
    return text.trimEnd()
  }

  /** At least `characters` characters, in paragraphs, about one topic. */
  document(language: Language, characters: number, topic = this.topic(language)): string {
    let text = ''
    while (text.length < characters)
      text += `${this.paragraph(language, topic, (language === 'zh' ? 60 : 160) * (1 + this.random() * 4))}\n\n`
    return text
  }
}

export function sentenceOf(language: Language, words: readonly string[]): string {
  if (language === 'en') {
    const [first = '', ...rest] = words
    return `${first[0]?.toUpperCase()}${[first.slice(1), ...rest].join(' ')}. `
  }
  const middle = words.length > 10 ? words.length >> 1 : words.length
  const end = words.slice(middle).join('')
  return `${words.slice(0, middle).join('')}${end === '' ? '' : `,${end}`}。`
}
