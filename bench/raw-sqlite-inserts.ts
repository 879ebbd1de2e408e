import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { takeJob } from './other-process.ts'
import { sampleGraph } from './sample-graph.ts'

export interface InsertJob {
  path: string
  milliseconds: number
}

/** The bare limit of a durable write: one row of the same size per transaction, in a loop, each synced. */
takeJob(async ({ path, milliseconds }: InsertJob): Promise<number> => {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec('CREATE TABLE graphs (id INTEGER PRIMARY KEY, graph TEXT NOT NULL)')
  const insert = database.prepare('INSERT INTO graphs (graph) VALUES (?)')
  const begun = performance.now()
  let rows = 0
  while (performance.now() - begun < milliseconds) insert.run(sampleGraphs[rows++ % sampleGraphs.length]!)
  const seconds = (performance.now() - begun) / 1000
  database.close()
  rmSync(path)
  return rows / seconds
})

const sampleGraphs = Array.from({ length: 100 }, (_, number) => sampleGraph(String(number)))
