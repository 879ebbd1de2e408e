import assert from 'node:assert/strict'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { AccessStore } from '../../src/access/access-store.ts'
import { PostgresCluster } from '../../src/adapters/sql/postgres-cluster.ts'
import type { PostgresDatabase } from '../../src/adapters/sql/postgres-database.ts'
import { AgentStore } from '../../src/agents/agent-store.ts'
import { type Cluster, maxMessageBytes } from '../../src/cluster/cluster.ts'
import { LeaseLost } from '../../src/cluster/lease-name.ts'
import { LocalCluster } from '../../src/cluster/local-cluster.ts'
import { openTestDatabase, type TestDatabase } from '../support/open-test-database.ts'
import { until } from '../support/watch.ts'

const isPostgres = Boolean(process.env['TEST_DATABASE_URL'])
/** An hour ahead of the database. */
const wrongClock = { now: () => Date.now() + 3_600_000 }
const log = { warn: () => {} }

/** Joins the database under that name; a process on SQLite is alone. */
function open({ database }: TestDatabase, id: string): Cluster {
  if (database.dialect === 'sqlite') return new LocalCluster(database, wrongClock, '1.2.3')
  return new PostgresCluster(database as PostgresDatabase, { id, clock: wrongClock, version: '1.2.3', log })
}

const connected = (cluster: Cluster): Promise<unknown> =>
  until('the connection', async () => cluster.isConnected)

describe(`cluster on ${isPostgres ? 'PostgreSQL' : 'SQLite'}`, () => {
  let opened: TestDatabase
  let clusters: Cluster[]
  let cluster: Cluster

  const join = async (id: string): Promise<Cluster> => {
    const joined = open(opened, id)
    clusters.push(joined)
    joined.join(`${id}:80`)
    await connected(joined)
    return joined
  }
  beforeEach(async () => {
    opened = await openTestDatabase()
    clusters = []
    cluster = await join('one')
  })
  afterEach(async () => {
    await Promise.all(clusters.map(each => each.leave()))
    await opened.cleanup()
  })

  test('its time is that of the database, whatever the local clock', async () => {
    await cluster.time.refresh()
    assert.ok(Math.abs(cluster.time.now() - (await opened.database.time())) < 5000)
  })

  test('a message reaches the local subscribers of its topic, and none that unsubscribed', () => {
    const received: string[] = []
    const receive = (message: string): number => received.push(message)
    const unsubscribe = cluster.subscribe('a', receive)
    cluster.subscribe('b', receive)
    cluster.publish('a', 'one\ttab\nline')
    unsubscribe()
    cluster.publish('a', 'two')
    cluster.publish('b')
    assert.deepEqual(received, ['one\ttab\nline', ''])
  })

  test('an unreadable message is skipped', { skip: !isPostgres }, async () => {
    const received: unknown[] = []
    cluster.subscribe('json', message => received.push(JSON.parse(message)))
    const send = (message: string) =>
      opened.database.get("SELECT pg_notify('banyan', ?)", `another\tjson\t${message}`)
    await send('{ not JSON')
    await send('"read"')
    await until('the message after it', async () => received.length === 1)
    assert.deepEqual(received, ['read'])
  })

  test('work of one name is done once at a time, and again when it has ended or failed', async () => {
    const gate = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const first = cluster.exclusively('sweep', async lost => {
      started.resolve()
      await gate.promise
      assert.ok(!lost.aborted)
    })
    await started.promise
    assert.equal(await cluster.exclusively('sweep', () => assert.fail('twice')), false)
    assert.equal(await cluster.exclusively('merge', async () => {}), true)
    gate.resolve()
    assert.equal(await first, true)
    await assert.rejects(
      cluster.exclusively('sweep', async () => {
        throw new Error('the work failed')
      }),
      /the work failed/,
    )
    assert.equal(await cluster.exclusively('sweep', async () => {}), true)
  })

  test('a change of a token, a workspace or the access to an agent starts a new generation', async () => {
    const access = new AccessStore(opened.database)
    const token = {
      workspaceId: 'w',
      id: 't',
      name: '',
      role: 'admin',
      operator: false,
      agentIds: [],
    } as const
    const record = { ...token, agentIds: [], userId: undefined, createdAt: 1, expiresAt: undefined }
    await access.addWorkspace({ id: 'w', name: 'w', createdAt: 1 }, { token: record, hash: 'h' })
    const agents = new AgentStore(opened.database)
    const agent = {
      id: 'a',
      name: 'a',
      intro: '',
      memory: {},
      learn: {},
      config: {},
      createdAt: 1,
      updatedAt: 1,
    }
    await agents.add('w', { ...agent, allowedOrigins: [], access: 'public' })
    const changes = {
      agent: () => agents.update('w', 'a', before => ({ ...before, access: 'private' })),
      limits: () => access.setLimits('w', { documents: 5 }),
      token: () => access.removeToken('w', 't'),
      workspace: () => access.removeWorkspace('w', 5),
    }
    for (const [name, change] of Object.entries(changes)) {
      await sleep(50)
      const before = cluster.accessGeneration()
      assert.notEqual(before, undefined)
      await change()
      await until(`the new generation of ${name}`, async () => {
        const now = cluster.accessGeneration()
        return now !== undefined && now !== before
      })
    }
  })

  test('the members are those that are alive, with their addresses and versions', async () => {
    const shown = async (): Promise<string[][]> =>
      (await cluster.members()).map(({ address, version }) => [address, version])
    await until('the first heartbeat', async () => (await shown()).length === 1)
    assert.deepEqual(await shown(), [['one:80', '1.2.3']])
    const [self] = await cluster.members()
    assert.ok(self!.seenAt >= self!.startedAt)
  })

  describe('with others', { skip: !isPostgres && 'a process on SQLite is alone' }, () => {
    let other: Cluster
    beforeEach(async () => {
      other = await join('two')
      await until('both members', async () => (await cluster.members()).length === 2)
    })

    /** Collects what arrives, and sends until something does: the first message may come too early. */
    const arrives = async (message: string): Promise<string> => {
      const received: string[] = []
      const unsubscribe = other.subscribe('topic', text => received.push(text))
      await until('the message', async () => {
        if (received.length === 0) cluster.publish('topic', message)
        await sleep(20)
        return received.length > 0
      })
      unsubscribe()
      return received[0]!
    }

    test('a message reaches them, however it is written', async () => {
      for (const message of ['', 'a\tb\n"\'\\', '你好 🦜', 'x'.repeat(maxMessageBytes)])
        assert.equal(await arrives(message), message)
    })

    test('an exchange reaches only the others', async () => {
      const received: string[] = []
      for (const [name, each] of Object.entries({ cluster, other }))
        each.exchange('topic').receive(message => received.push(`${name} ${message}`))
      await until('the message', async () => {
        if (received.length === 0) cluster.exchange('topic').send('hello')
        await sleep(20)
        return received.length > 0
      })
      assert.deepEqual([...new Set(received)], ['other hello'])
    })

    test('a lost connection is reopened', async () => {
      const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE '%access_changes%' AND pid <> pg_backend_pid()`
      await opened.database.all(kill)
      await connected(cluster)
      await connected(other)
      assert.equal(await arrives('after the restart'), 'after the restart')
    })

    test('only one of them does the work, and another takes over from one that stopped renewing', async () => {
      const started = Promise.withResolvers<void>()
      const gate = Promise.withResolvers<void>()
      const late = cluster.exclusively('job', async lost => {
        started.resolve()
        await gate.promise
        await once(lost, 'abort')
        assert.ok(lost.reason instanceof LeaseLost)
      })
      await started.promise
      assert.equal(await other.exclusively('job', () => assert.fail('twice')), false)
      // Its lease has run out, and the database has answered for long enough.
      await sleep(Math.max(0, 7500 - other.time.reachableMilliseconds))
      await opened.database.transaction(transaction =>
        transaction.run('UPDATE cluster_leases SET due_at = 1'),
      )
      let isTakenOver = false
      await other.exclusively('job', async () => {
        isTakenOver = true
        gate.resolve()
        // It notices when it renews its lease.
        assert.equal(await late, true)
      })
      assert.ok(isTakenOver)
      assert.equal(await cluster.exclusively('job', async () => {}), true, 'the zombie released nothing else')
    })

    test('a member that left or crashed is not listed', async () => {
      await opened.database.transaction(transaction =>
        transaction.run("INSERT INTO cluster_members VALUES ('crashed', 'c', '1', 1, 1)"),
      )
      assert.equal((await cluster.members()).length, 2)
      await other.leave()
      assert.deepEqual(
        (await cluster.members()).map(({ id }) => id),
        ['one'],
      )
    })
  })
})
