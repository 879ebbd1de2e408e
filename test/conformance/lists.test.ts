import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { AgentStore } from '../../src/agents/agent-store.ts'
import type { Page, PageRequest } from '../../src/contract/paging.ts'
import { searchText } from '../../src/database/keyword.ts'
import { FileStore } from '../../src/files/file-store.ts'
import { AppError } from '../../src/kernel/app-error.ts'
import { fileUses } from '../../src/knowledge/document-store.ts'
import { WorkflowStore } from '../../src/workflow/workflow-store.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'

type Lister<Item> = (page: PageRequest) => Promise<Page<Item>>

/** Reads a whole list by cursor. */
async function walk<Item>(list: Lister<Item>, pageSize: number): Promise<Item[]> {
  const items: Item[] = []
  for (let cursor: string | undefined, number = 1; ; number++) {
    const page = await list({ page: 1, pageSize, cursor })
    if (cursor !== undefined) assert.equal(page.page, number)
    items.push(...page.items)
    cursor = page.nextCursor
    if (cursor === undefined) return items
    assert.equal(page.items.length, pageSize)
  }
}

const refused = (path: string) => (error: unknown) =>
  error instanceof AppError && error.reason === 'invalid_request' && error.errors[0]?.path === path

describe('lists', () => {
  let opened: TestDatabase
  let workflows: WorkflowStore
  let files: FileStore
  before(async () => {
    opened = await openTestDatabase()
    workflows = new WorkflowStore(opened.database)
    files = new FileStore(opened.database, fileUses)
  })
  after(() => opened.cleanup())

  const save = (workspaceId: string, id: string, name: string, at = 1) =>
    workflows.save(workspaceId, {
      ...{ id, name, graph: '{"nodes":[],"edges":[]}', nodeCount: 0, hasCredentials: false },
      ...{ expected: 'anything' as const, at },
    })
  const named =
    (workspaceId: string, keyword: string): Lister<{ id: string }> =>
    page =>
      workflows.list(workspaceId, keyword, page)
  const ids = (items: { id: string }[]): string[] => items.map(({ id }) => id)
  const find = async (workspaceId: string, keyword: string): Promise<string[]> =>
    ids(await walk(named(workspaceId, keyword), 100)).sort()

  /** Rows without a name that differ in nothing but their number. */
  const addVersions = (workspaceId: string, count: number): Promise<number> =>
    opened.database.transaction(transaction =>
      transaction.run(
        `INSERT INTO workflow_versions (workspace_id, workflow_id, version, graph, node_count, created_at, has_credentials)
         WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
         SELECT ?, 'long', n, '{}', 0, n, 0 FROM numbers`,
        workspaceId,
      ),
    )

  test('are read by cursor in the order of their pages, also where sort keys are equal', async () => {
    for (let number = 0; number < 25; number++)
      await save('ties', `wf_${String(number).padStart(2, '0')}`, '', number >> 2)
    const all = await workflows.list('ties', '', { page: 1, pageSize: 100 })
    assert.equal(all.items.length, 25)
    assert.equal(all.nextCursor, undefined)
    for (const pageSize of [1, 2, 7, 24, 25]) {
      assert.deepEqual(await walk(named('ties', ''), pageSize), all.items)
      assert.deepEqual(await walk(named('ties', 'wf_'), pageSize), all.items)
    }
  })

  test('are not shifted by rows that are added in front while they are read', async () => {
    for (let number = 0; number < 6; number++) await save('moving', `old_${number}`, '', number)
    const first = await workflows.list('moving', '', { page: 1, pageSize: 3 })
    await save('moving', 'new', '', 100)
    const second = await workflows.list('moving', '', { page: 1, pageSize: 3, cursor: first.nextCursor })
    assert.deepEqual(ids([...first.items, ...second.items]), [
      'old_5',
      'old_4',
      'old_3',
      'old_2',
      'old_1',
      'old_0',
    ])
  })

  test('of files are read by cursor in every order', async () => {
    for (let number = 0; number < 20; number++) {
      const id = `f${number}`
      const same = { mimeType: 'text/plain', sha256: id, blobKey: id, userId: '', conversationId: undefined }
      await files.add('sorted', {
        id,
        name: `n${number % 3}`,
        size: number % 4,
        createdAt: number >> 1,
        ...same,
      })
    }
    for (const sort of ['created_at', 'name', 'size'] as const)
      for (const order of ['asc', 'desc'] as const) {
        const list: Lister<{ id: string }> = page => files.list('sorted', { keyword: '', sort, order }, page)
        const all = await list({ page: 1, pageSize: 100 })
        assert.deepEqual(await walk(list, 3), all.items, `${sort} ${order}`)
      }
  })

  test('refuse a cursor of another list, or none at all', async () => {
    await save('cursors', 'one', '')
    await save('cursors', 'two', '')
    const { nextCursor } = await workflows.list('cursors', '', { page: 1, pageSize: 1 })
    const byName = { keyword: '', sort: 'name', order: 'asc' } as const
    await assert.rejects(
      files.list('cursors', byName, { page: 1, pageSize: 1, cursor: nextCursor }),
      refused('/cursor'),
    )
    const forged = Buffer.from('["updated_at DESC, id",2,{},[]]').toString('base64url')
    for (const cursor of ['x', 'bnVsbA', forged])
      await assert.rejects(
        workflows.list('cursors', '', { page: 1, pageSize: 1, cursor }),
        refused('/cursor'),
      )
    const both = { page: 2, pageSize: 1, cursor: nextCursor }
    await assert.rejects(workflows.list('cursors', '', both), refused('/page'))
  })

  test('count up to a limit, reach as far by page number, and go on by cursor', async () => {
    await addVersions('long', 10_020)
    const list: Lister<{ version: number }> = page => workflows.versions('long', 'long', page)
    const last = await list({ page: 100, pageSize: 100 })
    assert.equal(last.total, 10_000)
    assert.equal(last.isCapped, true)
    assert.equal(last.items[0]?.version, 120)
    await assert.rejects(list({ page: 101, pageSize: 100 }), refused('/page'))
    const rest = await list({ page: 1, pageSize: 100, cursor: last.nextCursor })
    assert.deepEqual([rest.page, rest.items.length, rest.nextCursor], [101, 20, undefined])
    await addVersions('short', 10_000)
    const exact = await workflows.versions('short', 'long', { page: 1_000_000, pageSize: 100 })
    assert.deepEqual(exact, { total: 10_000, items: [] })
  })

  test('are filtered by any part of a name, whatever characters it has', async () => {
    const names = [
      '客服机器人',
      '客户服务',
      'A_b%c',
      'a\\b',
      'ab',
      'a b',
      'it\'s "q"',
      'ÄÖ ß',
      '😀 smile',
      'x.y-z_',
      '人',
      'İstanbul',
      '',
    ]
    for (const [index, name] of names.entries()) await save('names', `id-${index}`, name)
    const texts = names.map((name, index) => ({ id: `id-${index}`, text: searchText(name, `id-${index}`) }))
    const keywords = new Set<string>([
      'zz',
      '客人',
      '%',
      '_',
      '\\',
      '"',
      "'",
      '*',
      'OR',
      'a*',
      'Ä',
      'ID-1',
      '\n',
      'nothing like it',
    ])
    for (const { text } of texts)
      for (let start = 0; start < text.length; start++)
        for (const length of [1, 2, 3, 4, 7]) {
          const part = [...text].slice(start, start + length).join('')
          if (part !== '') keywords.add(part)
        }
    for (const keyword of keywords) {
      const expected = texts.filter(({ text }) => text.includes(keyword.toLowerCase())).map(({ id }) => id)
      assert.deepEqual(await find('names', keyword), expected.sort(), JSON.stringify(keyword))
    }
  })

  test('are filtered by the current name, in their own workspace', async () => {
    await save('renamed', 'wf_1', 'before')
    await save('elsewhere', 'wf_1', 'before')
    await save('renamed', 'wf_1', 'afterwards', 2)
    assert.deepEqual(await find('renamed', 'before'), [])
    assert.deepEqual(await find('renamed', 'afterwards'), ['wf_1'])
    assert.deepEqual(await find('elsewhere', 'before'), ['wf_1'])
    await workflows.remove('renamed', 'wf_1', 3)
    assert.deepEqual(await find('renamed', 'wf_1'), [])
    await save('renamed', 'wf_1', 'again', 4)
    assert.deepEqual(await find('renamed', 'again'), ['wf_1'])
    assert.deepEqual(await find('renamed', 'afterwards'), [])
  })

  test('do not mix up rows of different kinds', async () => {
    const agents = new AgentStore(opened.database)
    const agent = {
      id: 'agent_same',
      name: 'the same name',
      access: 'private' as const,
      intro: '',
      allowedOrigins: [],
    }
    await agents.add('kinds', { ...agent, memory: {}, learn: {}, config: {}, createdAt: 1, updatedAt: 1 })
    await save('kinds', 'wf_same', 'the same name')
    const page = { page: 1, pageSize: 10 }
    assert.deepEqual(ids((await agents.list('kinds', 'same name', page)).items), ['agent_same'])
    assert.deepEqual(await find('kinds', 'same name'), ['wf_same'])
  })

  // Matches are found in the order of the list, or looked up if they are far behind.
  for (const [where, isMatch] of [
    ['everywhere', 'n % 4 = 0'],
    ['at the end', 'n <= 1500'],
  ] as const)
    test(`are filtered where many rows ${where} match`, async () => {
      const workspace = where.replaceAll(' ', '_')
      await opened.database.transaction(transaction =>
        transaction.run(`
        INSERT INTO files (workspace_id, id, name, search, size, mime_type, sha256, created_at)
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 6000)
        SELECT '${workspace}', 'f' || n, 'n', CASE WHEN ${isMatch} THEN 'invoice' ELSE 'other' END, 1, 'text/plain', 'x', n
        FROM numbers`),
      )
      for (const keyword of ['inv', 'invoic']) {
        const list: Lister<{ id: string }> = page =>
          files.list(workspace, { keyword, sort: 'created_at', order: 'desc' }, page)
        const step = where === 'everywhere' ? 4 : 1
        const expected = Array.from({ length: 1500 }, (_, index) => `f${step * (1500 - index)}`)
        assert.equal((await list({ page: 1, pageSize: 100 })).total, 1500)
        assert.deepEqual(ids(await walk(list, 100)), expected)
        const page = await list({ page: 15, pageSize: 100 })
        assert.deepEqual([page.total, ids(page.items)], [1500, expected.slice(1400)])
        assert.deepEqual(await list({ page: 16, pageSize: 100 }), { total: 1500, items: [] })
      }
    })

  // PostgreSQL recognizes the larger number of matches in a sample.
  for (const count of [10_010, 40_000])
    test(`are filtered where ${count} rows match, more than are counted`, async () => {
      const workspace = `common_${count}`
      // In parts, because the time of a statement is limited.
      for (let start = 1; start <= count; start += 5000)
        await opened.database.transaction(transaction =>
          transaction.run(`
          INSERT INTO files (workspace_id, id, name, search, size, mime_type, sha256, created_at)
          WITH RECURSIVE numbers (n) AS (
            SELECT ${start} UNION ALL SELECT n + 1 FROM numbers WHERE n < ${Math.min(start + 4999, count)})
          SELECT '${workspace}', 'f' || n, 'n', 'common', 1, 'text/plain', 'x', n FROM numbers`),
        )
      const list: Lister<{ id: string }> = page =>
        files.list(workspace, { keyword: 'commo', sort: 'created_at', order: 'desc' }, page)
      const first = await list({ page: 1, pageSize: 3 })
      assert.deepEqual(
        [first.total, first.isCapped, ids(first.items)],
        [10_000, true, [0, 1, 2].map(before => `f${count - before}`)],
      )
      const second = await list({ page: 1, pageSize: 2, cursor: first.nextCursor })
      assert.deepEqual(
        ids(second.items),
        [3, 4].map(before => `f${count - before}`),
      )
    })

  // SQLite promises this only for tables with an INTEGER PRIMARY KEY; it does it for all that have an index.
  test('keep their keyword index when SQLite is vacuumed', async context => {
    const { database } = opened
    if (database.dialect !== 'sqlite') return context.skip('SQLite only')
    for (let number = 0; number < 10; number++) await save('vacuumed', `wf_${number}`, `name ${number}`)
    for (const number of [0, 3, 4]) await workflows.remove('vacuumed', `wf_${number}`, 1)
    const { DatabaseSync } = await import('node:sqlite')
    const path = await database.get<{ file: string }>('SELECT file FROM pragma_database_list')
    const connection = new DatabaseSync(path!.file)
    connection.exec('VACUUM')
    connection.close()
    assert.deepEqual(await find('vacuumed', 'name 7'), ['wf_7'])
    await save('vacuumed', 'wf_new', 'newcomer')
    assert.deepEqual(await find('vacuumed', 'newcomer'), ['wf_new'])
  })
})
