import { DatabaseSync } from 'node:sqlite'
import { takeJob } from '../other-process.ts'
import { textVector } from './text-vector.ts'

export interface NeighboursJob {
  /** The server's database; it may be running. */
  database: string
  questions: string[]
  depth: number
}

interface Row {
  id: string
  vector: Uint8Array
}

interface Near {
  id: string
  similarity: number
}

function offer(nearest: Near[], near: Near, depth: number): void {
  if (nearest.length === depth && near.similarity <= nearest.at(-1)!.similarity) return
  const at = nearest.findIndex(other => other.similarity < near.similarity)
  nearest.splice(at === -1 ? nearest.length : at, 0, near)
  if (nearest.length > depth) nearest.pop()
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += one[at]! * other[at]!
  return sum
}

/** The ids of the chunks that are nearest to each question, found by comparing it with every chunk. */
takeJob(async ({ database, questions, depth }: NeighboursJob): Promise<string[][]> => {
  const connection = new DatabaseSync(database, { readOnly: true })
  const vectors = questions.map(textVector)
  const nearest: Near[][] = questions.map(() => [])
  const rows = connection
    .prepare(
      `SELECT c.id, v.vector FROM vectors v JOIN chunks c
       ON c.workspace_id = v.workspace_id AND c.batch_id = v.batch_id AND c.position = v.position`,
    )
    .iterate() as Iterable<Row>
  for (const { id, vector } of rows) {
    const floats = new Float32Array(vector.slice().buffer)
    for (const [number, question] of vectors.entries())
      offer(nearest[number]!, { id, similarity: dot(question, floats) }, depth)
  }
  connection.close()
  return nearest.map(each => each.map(({ id }) => id))
})
