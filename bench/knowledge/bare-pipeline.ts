import { readFileSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { takeJob } from '../other-process.ts'

export interface BareJob {
  paths: string[]
  database: string
}

export interface BareResult {
  seconds: number
  chunks: number
}

/** The average length of the server's chunks, for Chinese and for English. */
const chunkLength = (text: string): number => (text.charCodeAt(0) > 0x3000 ? 420 : 2200)

const words = new Intl.Segmenter('zh', { granularity: 'word' })
const hanRuns = /\p{Script=Han}+/gu

/** The words of a text, and every pair of Chinese characters, by which names are found. */
function wordsOf(text: string): string {
  const found: string[] = []
  for (const { segment, isWordLike } of words.segment(text)) if (isWordLike) found.push(segment)
  for (const [run] of text.matchAll(hanRuns))
    for (let at = 0; at + 2 <= run.length; at++) found.push(run.slice(at, at + 2))
  return found.join(' ')
}

/** The bare limit of ingestion: cut anywhere, segment, and insert all of it in one transaction. */
takeJob(async ({ paths, database }: BareJob): Promise<BareResult> => {
  const begun = performance.now()
  const connection = new DatabaseSync(database)
  connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  connection.exec('CREATE TABLE chunks (id INTEGER PRIMARY KEY, content TEXT NOT NULL)')
  connection.exec("CREATE VIRTUAL TABLE words USING fts5 (content, content='', tokenize='unicode61')")
  const insertChunk = connection.prepare('INSERT INTO chunks (id, content) VALUES (?, ?)')
  const insertWords = connection.prepare('INSERT INTO words (rowid, content) VALUES (?, ?)')
  connection.exec('BEGIN')
  let chunks = 0
  for (const path of paths) {
    const text = readFileSync(path, 'utf8')
    const length = chunkLength(text)
    for (let at = 0; at < text.length; at += length) {
      const content = text.slice(at, at + length)
      insertChunk.run(++chunks, content)
      insertWords.run(chunks, wordsOf(content))
    }
  }
  connection.exec('COMMIT')
  const seconds = (performance.now() - begun) / 1000
  connection.close()
  rmSync(database)
  return { seconds, chunks }
})
