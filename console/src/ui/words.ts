import { useLanguage } from './preferences.ts'

// biome-ignore lint/suspicious/noExplicitAny: a word with parameters takes whatever its sentence needs
type Word = string | ((...parameters: any[]) => string)
type Translated<Words> = { [Key in keyof Words]: Words[Key] extends string ? string : Words[Key] }

/**
 * Defines the texts of a part of the console in both languages, which must have the same keys. Returns a hook: `const
 * useWords = defineWords({ save: 'Save' }, { save: '保存' })`.
 */
export function defineWords<Words extends Record<string, Word>>(
  english: Words,
  chinese: Translated<Words>,
): () => Translated<Words> {
  return () => (useLanguage() === 'zh' ? chinese : (english as Translated<Words>))
}
