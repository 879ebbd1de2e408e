import { chineseWords, nameCharacters } from './chinese-words.ts'
import { englishWords, syllables } from './english-words.ts'
import { createRandom, pick, type Random } from './random.ts'

export type Language = 'zh' | 'en'

export interface Vocabulary {
  /** Most common words first; after the everyday words, rare ones that no dictionary knows. */
  words: readonly string[]
  /** The words of each topic, which are frequent in its documents and rare elsewhere. */
  topics: readonly (readonly string[])[]
}

const rareWords = 20_000
const topicCount = 500
const wordsPerTopic = 12

const chineseName = (random: Random): string =>
  Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(nameCharacters, random)).join('')

const englishName = (random: Random): string =>
  Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(syllables, random)).join('')

function namesApart(count: number, known: Set<string>, name: (random: Random) => string, random: Random) {
  const names: string[] = []
  while (names.length < count) {
    const next = name(random)
    if (known.has(next)) continue
    known.add(next)
    names.push(next)
  }
  return names
}

function createVocabulary(common: readonly string[], name: (random: Random) => string): Vocabulary {
  const random = createRandom(20_26)
  const known = new Set(common)
  return {
    words: [...known, ...namesApart(rareWords, known, name, random)],
    topics: Array.from({ length: topicCount }, () => namesApart(wordsPerTopic, known, name, random)),
  }
}

export const vocabularies: Readonly<Record<Language, Vocabulary>> = {
  zh: createVocabulary(chineseWords, chineseName),
  en: createVocabulary(englishWords, englishName),
}
