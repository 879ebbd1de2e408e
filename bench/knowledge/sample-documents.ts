import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TextToAdd } from './knowledge-client.ts'
import { Prose } from './prose.ts'
import { vocabularies } from './vocabulary.ts'

/**
 * Generates documents, half of them Chinese, half English, each of about `bytes` bytes in UTF-8. Topics rotate, so that
 * with enough documents every topic occurs.
 */
export function* sampleDocuments(seed: number, count: number, bytes: number): Generator<TextToAdd> {
  const prose = new Prose(seed)
  for (let number = 0; number < count; number++) {
    const language = number % 2 === 0 ? 'zh' : 'en'
    const { topics } = vocabularies[language]
    const topic = topics[(number >> 1) % topics.length]!
    const content = prose.document(language, language === 'zh' ? bytes / 3 : bytes, topic)
    yield { name: `${language} ${seed}-${number}.txt`, content }
  }
}

export async function writeDocuments(folder: string, documents: readonly TextToAdd[]): Promise<string[]> {
  const paths = documents.map(document => join(folder, document.name))
  for (const [at, path] of paths.entries()) await writeFile(path, documents[at]!.content)
  return paths
}

export const charactersOf = (documents: readonly TextToAdd[]): number =>
  documents.reduce((sum, document) => sum + document.content.length, 0)
