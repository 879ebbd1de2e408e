import { after, before, describe, test } from 'node:test'
import { aroundAnOccurrence, assertEachOnce, makeEverySecond } from '../support/fired-occurrences.ts'
import { type ReplicaWorld, startReplicaWorld } from '../support/replica-world.ts'
import { rounds } from '../support/rounds.ts'

const isPostgres = Boolean(process.env['TEST_DATABASE_URL'])

describe('replicas with a schedule', { skip: !isPostgres && 'needs PostgreSQL: run with --postgres' }, () => {
  let world: ReplicaWorld
  before(async () => {
    world = await startReplicaWorld()
  })
  after(() => world?.stop())

  test('run each occurrence once, though one after the other is killed around an occurrence', async () => {
    const { replicas } = world
    const { id, first } = await makeEverySecond(replicas.api)
    for (let kill = 0; kill < rounds(2); kill++) {
      await aroundAnOccurrence()
      const [killed] = replicas.all.splice(0, 1)
      await killed!.kill('SIGKILL')
      await replicas.add()
    }
    await assertEachOnce(replicas.api, id, first, Date.now())
  })
})
