import { DatabaseSync } from 'node:sqlite'
import { takeJob } from '../other-process.ts'

export interface MessagesJob {
  /** The database of a stopped server. */
  path: string
  conversationId: string
  count: number
}

/** Turns of a question and an answer of about 100 characters each, with ids as random as those of the server. */
const insert = `INSERT INTO messages (workspace_id, conversation_id, position, id, chat_id, role, data_type, content, file_list, said_at)
  WITH RECURSIVE numbers (position) AS (SELECT 1 UNION ALL SELECT position + 1 FROM numbers WHERE position < :count)
  SELECT conversations.workspace_id, conversations.id, position, 'msg_' || hex(randomblob(11)),
    'chat_' || printf('%022d', (position + 1) / 2), (position + 1) % 2, 'text',
    'This is what was said as number ' || position || ', and it goes on for as long as a sentence or two usually do.',
    '[]', 1794731400000 + position * 1000
  FROM numbers, conversations WHERE conversations.id = :id`

/** Fills a conversation with as many messages as years of use, in one transaction. */
takeJob(async ({ path, conversationId, count }: MessagesJob): Promise<{ seeded: number }> => {
  const database = new DatabaseSync(path)
  database.exec('BEGIN')
  const { changes } = database.prepare(insert).run({ id: conversationId, count })
  database.prepare('UPDATE conversations SET message_count = ? WHERE id = ?').run(count, conversationId)
  database.exec('COMMIT')
  database.close()
  if (Number(changes) !== count) throw new Error(`${changes} messages were seeded in place of ${count}`)
  return { seeded: count }
})
