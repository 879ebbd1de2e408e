import { defaultWorkspaceId } from '../../src/access/access-service.ts'
import { openDatabase } from '../../src/adapters/sql/open-database.ts'
import type { Transaction } from '../../src/database/database.ts'
import { sampleGraph, sampleNodes, workflowId } from '../sample-graph.ts'

/** Keys of the rows that the others belong to: all versions of one workflow, all documents of one base, and so on. */
export const listed = {
  workflowId: workflowId(0),
  agentId: 'agent_listed',
  conversationId: 'conv_listed',
  knowledgeId: 'kb_listed',
  fileId: 'file_listed',
}
/** Workflows with a whole graph, for GET. */
export const completeWorkflows = 1000

/** Recent, so that no row is old enough to be deleted. */
export const firstTime = (Math.floor(Date.now() / 86_400_000) - 20) * 86_400_000
const generation = 'gen_listed'
const settings = `'{"strategy":"auto","size":512,"overlap":64}'`
const retrieval = `'{"mode":"keyword","topK":5,"rerank":false}'`

/** Deterministic, and as different from row to row as random ids are. */
const mixed = '(n * 2654435761 % 4294967296)'
const at = `${firstTime} + n * 1000`
/** Of a million names, one has the word needle, and one the character 鲸; one in twenty has the words twentieth and 客服. */
const nameOf = (count: number): string =>
  `'Item ' || n || CASE WHEN n % 20 = 0 THEN ' twentieth 客服' ELSE '' END
   || CASE n WHEN ${count >> 1} THEN ' needle 鲸' ELSE '' END`
const searchOf = (count: number, id = "''"): string => `lower(${nameOf(count)} || ' ' || ${id})`

const id = (prefix: string): string => `'${prefix}' || (10000000 + n) || '-' || ${mixed}`
const workspace = `'${defaultWorkspaceId}'`

type Columns = Record<string, string>

/** Every kind of list: its table, and the columns of row number n. */
const tables = (count: number): [string, Columns][] => {
  const named = (key: string) => ({ name: nameOf(count), search: searchOf(count, key) })
  const own = { workspace_id: workspace }
  const times = { created_at: at, updated_at: at }
  return [
    ['workspaces', { id: id('ws_'), name: `'Workspace ' || n`, created_at: at }],
    [
      'tokens',
      {
        ...{
          ...own,
          id: id('tok_'),
          name: nameOf(count),
          role: "'viewer'",
          operator: '0',
          agent_ids: "'[]'",
        },
        ...{ hash: id('hash_'), created_at: at },
      },
    ],
    ['workflows', { ...own, id: id('wf_'), ...named(id('wf_')), version: '1', node_count: '2', ...times }],
    [
      'workflow_versions',
      {
        ...{ ...own, workflow_id: `'${listed.workflowId}'`, version: 'n + 1', node_count: '2' },
        ...{ graph: `'{"nodes":[],"edges":[]}'`, created_at: at, has_credentials: '0' },
      },
    ],
    [
      'agents',
      { ...own, id: id('agent_'), ...named(id('agent_')), access: "'private'", ...times, ...texts() },
    ],
    [
      'conversations',
      {
        ...{ ...own, id: id('conv_'), agent_id: `'${listed.agentId}'`, user_id: "'user' || (n % 100)" },
        ...{ env_type: "'open_platform'", ...named(id('conv_')), message_count: '0', ...times },
      },
    ],
    [
      'messages',
      {
        ...{ ...own, conversation_id: `'${listed.conversationId}'`, position: 'n', id: id('msg_') },
        ...{
          chat_id: `'chat_' || (n / 2)`,
          role: 'n % 2',
          data_type: "'text'",
          content: "'What was said as ' || n",
        },
        ...{ file_list: "'[]'", said_at: at },
      },
    ],
    [
      'runs',
      {
        ...{
          ...own,
          id: id('run_'),
          triggered_by: "'run'",
          workflow_id: "'wf_of_runs_' || (n % 50)",
          version: '1',
        },
        ...{ agent_id: "'agent_' || (n % 10)", conversation_id: "''", user_id: "''", chat_id: "''" },
        ...{ status: "CASE WHEN n % 100 = 0 THEN 'failed' ELSE 'succeeded' END", settled_at: at },
        ...{ stop_requested: '0', claims: '1', sequence: '8', written_steps: '2', step_count: '2' },
        ...{ prompt_tokens: '10', completion_tokens: '20', active_milliseconds: '30', created_at: at },
        ...{ finished_at: at, answer: "'The answer number ' || n", inputs: "'{}'", outputs: "'{}'" },
      },
    ],
    [
      'files',
      {
        ...{ ...own, id: id('file_'), name: nameOf(count), search: searchOf(count), size: 'n % 1000' },
        ...{ mime_type: "'text/plain'", sha256: id('sum_'), created_at: at },
      },
    ],
    [
      'knowledge_bases',
      {
        ...{ ...own, id: id('kb_'), ...named("''"), description: "''", chunking: settings, ...times },
        ...{ retrieval, metadata: "'{}'", generation_id: id('gen_') },
      },
    ],
    [
      'generations',
      { ...own, id: id('gen_'), knowledge_id: id('kb_'), chunking: settings, revision: '0', gone: '0' },
    ],
    [
      'documents',
      {
        ...{ ...own, knowledge_id: `'${listed.knowledgeId}'`, file_id: id('file_'), ...named("''") },
        ...{ mime_type: "'text/plain'", size: '100', metadata: "'{}'", created_at: at },
      },
    ],
    [
      'readings',
      {
        ...{ ...own, generation_id: `'${generation}'`, file_id: id('file_'), attempts: '1', retries: '0' },
        ...{ knowledge_id: `'${listed.knowledgeId}'`, progress: '1', chunk_count: '1', interruptions: '0' },
        ...{ status: "CASE WHEN n % 1000 = 0 THEN 'failed' ELSE 'ready' END", priority: '0', updated_at: at },
      },
    ],
    [
      'chunks',
      {
        ...{
          ...own,
          batch_id: "'batch_listed'",
          position: 'n - 1',
          id: "'chunk_' || n",
          content: "'Passage ' || n",
        },
        ...{ heading: "'[]'", from_offset: '0', to_offset: '9', tokens: '3', enabled: '1', edited: '0' },
      },
    ],
    [
      'usage_days',
      {
        ...{
          ...own,
          day: `${Math.floor(firstTime / 86_400_000) - 366} + n % 366`,
          agent_id: "'agent_' || (n / 366 % 10)",
        },
        ...{
          workflow_id: "'wf_of_runs_' || (n / 366 % 100)",
          shard: 'n / 36600 % 2',
          runs: '10',
          failures: '1',
        },
        ...{ prompt_tokens: '100', completion_tokens: '200', active_milliseconds: '300' },
      },
    ],
  ]
}

function texts(): Columns {
  return { intro: "''", memory: "'{}'", learn: "'{}'", config: "'{}'" }
}

async function insertMany(
  transaction: Transaction,
  [table, columns]: [string, Columns],
  count: number,
): Promise<void> {
  await transaction.run(`INSERT INTO ${table} (${Object.keys(columns).join(', ')})
    WITH RECURSIVE numbers (n) AS
      (SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${table === 'usage_days' ? Math.min(count, 73_200) : count})
    SELECT ${Object.values(columns).join(', ')} FROM numbers`)
}

/** The rows that the others belong to. */
const parents = (count: number): string[] => [
  `INSERT INTO agents (workspace_id, id, name, search, access, created_at, updated_at, intro, memory, learn, config)
   VALUES (${workspace}, '${listed.agentId}', 'Agent', 'agent', 'private', 1, 1, '', '{}', '{}', '{}')`,
  `INSERT INTO conversations (workspace_id, id, agent_id, user_id, env_type, name, search, message_count, created_at, updated_at)
   VALUES (${workspace}, '${listed.conversationId}', '${listed.agentId}', '', '', 'Long', 'long', ${count}, 1, 1)`,
  `INSERT INTO knowledge_bases (workspace_id, id, name, search, description, chunking, retrieval, metadata, generation_id, created_at, updated_at)
   VALUES (${workspace}, '${listed.knowledgeId}', 'Listed', 'listed', '', ${settings}, ${retrieval}, '{}', '${generation}', 1, 1)`,
  `INSERT INTO generations (workspace_id, id, knowledge_id, chunking, revision, gone)
   VALUES (${workspace}, '${generation}', '${listed.knowledgeId}', ${settings}, 0, 0)`,
  `INSERT INTO documents (workspace_id, knowledge_id, file_id, name, search, mime_type, size, metadata, created_at)
   VALUES (${workspace}, '${listed.knowledgeId}', '${listed.fileId}', 'Long', 'long', 'text/plain', 1, '{}', 1)`,
  `INSERT INTO readings (workspace_id, generation_id, file_id, knowledge_id, status, progress, chunk_count, attempts, retries, interruptions, batch_id, priority, updated_at)
   VALUES (${workspace}, '${generation}', '${listed.fileId}', '${listed.knowledgeId}', 'ready', 1, ${count}, 1, 0, 0, 'batch_listed', 0, 1)`,
  `INSERT INTO batches (workspace_id, id, generation_id, file_id, state, chunk_count, revision)
   VALUES (${workspace}, 'batch_listed', '${generation}', '${listed.fileId}', 'live', ${count}, 0)`,
]

/**
 * Drops keyword indexes, which are created again after the rows: that takes a tenth of the time. Returns their
 * definitions.
 */
async function dropFilterIndexes(transaction: Transaction): Promise<string[]> {
  const indexes = await transaction.all<{ name: string; definition: string }>(
    "SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE indexdef LIKE '%USING gin%'",
  )
  for (const { name } of indexes) await transaction.run(`DROP INDEX ${name}`)
  return indexes.map(({ definition }) => definition)
}

/** Fills every list of a new database with `count` rows, before a server opens it. */
export async function fillLists(
  place: { url: string | undefined; folder: string },
  count: number,
): Promise<void> {
  const pool = { poolSize: 2, waitMilliseconds: 5000, statementMilliseconds: 3_600_000 }
  const database = await openDatabase({ ...place, pool })
  const fill = <Result>(work: (transaction: Transaction) => Promise<Result>) => database.transaction(work)
  await fill(async transaction => {
    for (const statement of parents(count)) await transaction.run(statement)
    for (let number = 0; number < completeWorkflows; number++) {
      const key = workflowId(number)
      await transaction.run(
        `INSERT INTO workflows (workspace_id, id, name, search, version, node_count, created_at, updated_at)
         VALUES (?, ?, '', ?, 1, ?, 1, 1)`,
        ...[defaultWorkspaceId, key, key, sampleNodes],
      )
      await transaction.run(
        `INSERT INTO workflow_versions (workspace_id, workflow_id, version, graph, node_count, created_at, has_credentials)
         VALUES (?, ?, 1, ?, ?, 1, 0)`,
        ...[defaultWorkspaceId, key, sampleGraph(key), sampleNodes],
      )
    }
  })
  const indexes = database.dialect === 'postgres' ? await fill(dropFilterIndexes) : []
  for (const table of tables(count)) {
    const begun = performance.now()
    await fill(transaction => insertMany(transaction, table, count))
    console.error(`  ${count} rows of ${table[0]} in ${((performance.now() - begun) / 1000).toFixed(1)} s`)
  }
  for (const definition of indexes) await fill(each => each.run(definition))
  // PostgreSQL would do it by itself, a minute later.
  if (database.dialect === 'postgres')
    for (const [table] of tables(count)) await fill(each => each.run(`ANALYZE ${table}`))
  await database.close()
}
