import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { ApiAnswer } from '../support/api-client.ts'
import { type ReplicaWorld, startReplicaWorld } from '../support/replica-world.ts'
import { chain, echoGraph, output } from '../support/run-graphs.ts'
import { makeAgent, makeWorkflow, openTalk, runOf, send } from '../support/talk.ts'
import { until } from '../support/watch.ts'

const isPostgres = Boolean(process.env['TEST_DATABASE_URL'])
const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** The sources before the last migration of PostgreSQL; undefined where the history is not there. */
async function previousVersion(): Promise<string | undefined> {
  const git = async (...args: string[]): Promise<string> =>
    (await run('git', args, { cwd: root })).stdout.trim()
  try {
    const added = await git('log', '-1', '--diff-filter=A', '--format=%H', '--', 'migrations/postgres')
    await git('cat-file', '-e', `${added}^`)
    const folder = await mkdtemp(join(tmpdir(), 'banyan-previous-'))
    await run('bash', ['-c', `git archive ${added}^ src migrations package.json | tar -x -C '${folder}'`], {
      cwd: root,
    })
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    return folder
  } catch {
    return undefined
  }
}

describe('a rolling upgrade', { skip: !isPostgres && 'needs PostgreSQL: run with --postgres' }, () => {
  let previous: string | undefined
  let world: ReplicaWorld | undefined
  before(async () => {
    previous = await previousVersion()
  })
  after(async () => {
    await world?.stop()
    if (previous) await rm(previous, { recursive: true, force: true })
  })

  test('from the previous version fails no request and loses no run', async t => {
    if (previous === undefined) return t.skip('no git history of the previous version')
    // The previous version may trust the clocks of the machines.
    const options = { count: 2, entry: join(previous, 'src/main.ts') }
    world = await startReplicaWorld({ TEST_CLOCK_AHEAD: '0' }, options)
    const { replicas, gates, requests } = world
    const { api } = replicas
    const plain = await makeWorkflow(api, chain(output('say', 'x')))
    const held = await makeWorkflow(api, requests('/across'))
    const agent = await makeAgent(api, { workflow_id: await makeWorkflow(api, echoGraph()) })
    gates.hold('/across')
    const across = (await api.post('workflow/run', { id: held, inputs: { query: '' }, wait: 0 })).json.data
      .run_id

    const failed: string[] = []
    const counts = { calls: 0 }
    let isOver = false
    const client = async (call: (round: number) => Promise<ApiAnswer>): Promise<void> => {
      for (let round = 0; !isOver; round++) {
        const { status, text } = await call(round)
        counts.calls++
        if (status !== 200) failed.push(`${status} ${text}`)
      }
    }
    const talk = await openTalk(api, agent)
    const load = [
      client(() => api.post('workflow/list', {})),
      client(() => api.post('workflow/run', { id: plain, inputs: { query: '' } })),
      client(round => send(api, talk, `turn ${round}`)),
      client(round => api.upload(`${round}.txt`, `content ${round}`)),
    ]
    const callsMore = async (): Promise<unknown> => {
      const seen = counts.calls
      return until('more calls', async () => counts.calls > seen + 20)
    }
    try {
      await callsMore()
      for (const old of [...replicas.all]) {
        await replicas.add({ entry: join(root, 'src/main.ts') })
        await callsMore()
        await replicas.drain(old)
        assert.equal(await old.kill('SIGTERM'), 0)
        await callsMore()
      }
    } finally {
      isOver = true
      await Promise.all(load)
    }
    assert.deepEqual(failed, [])
    gates.open()
    await until('the run of the previous version', async () => {
      const { status } = await runOf(api, across)
      return status === 'succeeded'
    })
  })
})
