import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type FileFilter, FileStore, type LocatedFile } from '../../src/files/file-store.ts'
import { fileUses } from '../../src/knowledge/document-store.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'

const newest: FileFilter = { keyword: '', sort: 'created_at', order: 'desc' }

let serial = 0
const file = (sha256: string, more: Partial<LocatedFile> = {}): LocatedFile => {
  serial++
  return {
    id: `f${serial}`,
    name: `n${serial}`,
    size: 3,
    mimeType: 'text/plain',
    sha256,
    createdAt: serial,
    userId: '',
    blobKey: `k${serial}`,
    conversationId: undefined,
    ...more,
  }
}

describe('file store', () => {
  let opened: TestDatabase
  let store: FileStore
  before(async () => {
    opened = await openTestDatabase()
    store = new FileStore(opened.database, fileUses)
  })
  after(() => opened.cleanup())

  test('shares one blob between equal files of a workspace, and releases it with the last file', async () => {
    const first = file('same')
    const second = file('same')
    assert.deepEqual(await store.add('w', first), first)
    assert.deepEqual(await store.add('w', second), { ...second, blobKey: first.blobKey })
    assert.equal((await store.find('w', second.id))?.blobKey, first.blobKey)
    assert.deepEqual((await store.remove('w', [first.id], false)).releasedKeys, [])
    assert.equal((await store.find('w', second.id))?.blobKey, first.blobKey)
    assert.deepEqual((await store.remove('w', [second.id], false)).releasedKeys, [first.blobKey])
    assert.deepEqual(await store.knownKeys([first.blobKey]), new Set())
  })

  test('stores equal content of two workspaces separately', async () => {
    const mine = file('shared')
    const theirs = file('shared')
    await store.add('mine', mine)
    assert.deepEqual(await store.add('theirs', theirs), theirs)
    assert.equal(await store.find('mine', theirs.id), undefined)
    assert.deepEqual((await store.remove('mine', [theirs.id], true)).missing, [theirs.id])
    assert.ok(await store.find('theirs', theirs.id))
  })

  test('adds many files at once, of which some are equal to each other or to a stored one', async () => {
    const stored = file('many 0')
    await store.add('many', stored)
    const added = Array.from({ length: 150 }, (_, at) => file(`many ${at % 100}`))
    const keys = new Map((await store.addAll('many', added)).map(each => [each.sha256, each.blobKey]))
    assert.equal(keys.size, 100)
    assert.equal(keys.get(stored.sha256), stored.blobKey)
    for (const each of added)
      assert.equal((await store.find('many', each.id))?.blobKey, keys.get(each.sha256))
    assert.deepEqual((await store.remove('many', [added[1]!.id], false)).releasedKeys, [])
    const last = keys.get(added[1]!.sha256)
    assert.deepEqual((await store.remove('many', [added[101]!.id], false)).releasedKeys, [last])
  })

  test('keeps reference counts correct under a hundred concurrent equal uploads and deletes', async () => {
    const other = new FileStore(await opened.openAgain(), fileUses)
    const files = Array.from({ length: 100 }, () => file('busy'))
    const placed = await Promise.all(files.map((each, at) => (at % 2 ? store : other).add('w', each)))
    assert.equal(new Set(placed.map(({ blobKey }) => blobKey)).size, 1)
    const removed = await Promise.all(
      files.map((each, at) => (at % 2 ? store : other).remove('w', [each.id], false)),
    )
    assert.deepEqual(removed.flatMap(({ deleted }) => deleted).length, 100)
    assert.deepEqual(
      removed.flatMap(({ releasedKeys }) => releasedKeys),
      [placed[0]!.blobKey],
    )
  })

  test('keeps the content of an upload concurrent with deleting the last equal file', async () => {
    const other = new FileStore(await opened.openAgain(), fileUses)
    for (let round = 0; round < 20; round++) {
      const old = file(`round${round}`)
      const fresh = file(`round${round}`)
      await store.add('w', old)
      const [{ releasedKeys }, { blobKey }] = await Promise.all([
        store.remove('w', [old.id], false),
        other.add('w', fresh),
      ])
      assert.ok(!releasedKeys.includes(blobKey), 'the blob in use was released')
      assert.equal((await store.find('w', fresh.id))?.blobKey, blobKey)
    }
  })

  test('finds many files by id, lists the newest first, and searches literally', async () => {
    const a = file('a', { name: '说明 书_100%.txt' })
    const b = file('b', { name: 'Readme' })
    await store.add('list', a)
    await store.add('list', b)
    assert.deepEqual(
      (await store.findMany('list', [b.id, 'nope', a.id])).map(each => each.id).sort(),
      [a.id, b.id].sort(),
    )
    const found = async (keyword: string) =>
      (await store.list('list', { ...newest, keyword }, { page: 1, pageSize: 9 })).items.map(each => each.id)
    assert.deepEqual(await found(''), [b.id, a.id])
    assert.deepEqual(await found('说明'), [a.id])
    assert.deepEqual(await found('README'), [b.id])
    assert.deepEqual(await found('_'), [a.id])
    assert.deepEqual(await found('0%'), [a.id])
  })

  test('sorts by time, name and size in both directions, page by page', async () => {
    const [b, a, c, equal] = [
      file('sorted b', { name: 'Banyan.txt', size: 30 }),
      file('sorted a', { name: 'apple.txt', size: 20 }),
      file('sorted c', { name: '榕树.txt', size: 10 }),
      file('sorted equal', { name: 'banyan.txt', size: 30 }),
    ]
    for (const each of [b, a, c, equal]) await store.add('sorted', each)
    const listed = async (sort: FileFilter['sort'], order: FileFilter['order'], keyword = '') => {
      const pages = [1, 2, 3].map(page =>
        store.list('sorted', { keyword, sort, order }, { page, pageSize: 2 }),
      )
      return (await Promise.all(pages)).flatMap(({ items }) => items.map(({ id }) => id))
    }
    const expected = {
      created_at: [b.id, a.id, c.id, equal.id],
      name: [a.id, b.id, equal.id, c.id],
      size: [c.id, a.id, b.id, equal.id],
    }
    for (const sort of ['created_at', 'name', 'size'] as const) {
      assert.deepEqual(await listed(sort, 'asc'), expected[sort], `${sort} ascending`)
      assert.deepEqual(await listed(sort, 'desc'), [...expected[sort]].reverse(), `${sort} descending`)
    }
    assert.deepEqual(await listed('size', 'desc', 'BANYAN'), [equal.id, b.id])
  })
})
