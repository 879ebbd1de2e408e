import { after, before, test } from 'node:test'
import { aroundAnOccurrence, assertEachOnce, makeEverySecond } from '../support/fired-occurrences.ts'
import type { FreshDatabase } from '../support/fresh-database.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { rounds } from '../support/rounds.ts'
import { type ServerProcess, spawnServer } from '../support/server-process.ts'

let database: FreshDatabase
let server: ServerProcess

const start = (): Promise<ServerProcess> =>
  spawnServer(database, { BOOTSTRAP_TOKEN: 'operator-token-of-the-drills', LOG_LEVEL: 'warn' })

before(async () => {
  database = await migratedDatabase()
})
after(async () => {
  await server?.kill('SIGKILL')
  await database.drop()
})

test('each occurrence of a schedule runs once, though the server is killed around occurrences', async () => {
  server = await start()
  const { id, first } = await makeEverySecond(server.api)
  for (let kill = 0; kill < rounds(1); kill++) {
    await aroundAnOccurrence()
    await server.kill('SIGKILL')
    server = await start()
  }
  await assertEachOnce(server.api, id, first, Date.now())
})
