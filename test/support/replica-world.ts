import { node } from '../workflow/graphs.ts'
import { Gates } from './gates.ts'
import { dataOf } from './knowledge.ts'
import { startReplicas } from './replicas.ts'
import { chain, output } from './run-graphs.ts'
import { lastUserText } from './scripted-chat.ts'
import { startScriptedModel } from './scripted-model.ts'
import type { ServerProcess } from './server-process.ts'
import { startSinkServer } from './sink-server.ts'
import { runOf } from './talk.ts'
import { until } from './watch.ts'

export type ReplicaWorld = Awaited<ReturnType<typeof startReplicaWorld>>

/** Replicas with a model and a third-party server, whose answers the test can hold. */
export async function startReplicaWorld(
  environment: Record<string, string> = {},
  options: Parameters<typeof startReplicas>[1] = {},
) {
  const gates = new Gates()
  const [model, sink] = await Promise.all([startScriptedModel(), startSinkServer()])
  model.play(async body => {
    await gates.pass(lastUserText(body))
    return undefined
  })
  sink.answer(async ({ path }) => {
    await gates.pass(path)
    return undefined
  })
  const replicas = await startReplicas({ ...model.environment, ...environment }, options)
  await until('all members', async () => {
    // A previous version may have no such list.
    const { replicas: members = replicas.all } = await dataOf(replicas.api.get('server'))
    return members.length === replicas.all.length
  })
  return {
    ...{ gates, model, sink, replicas },
    posts: (path: string) => sink.received.filter(request => request.path === path),
    /** Makes a request, says so, and makes the next one. */
    requests: (...paths: string[]) =>
      chain(
        ...paths.flatMap(path => {
          const id = path.slice(1)
          const url = `${sink.origin}${path}`
          return [
            node(id, 'http_request', { method: 'POST', url, body: 'x', timeout_ms: 120_000 }),
            output(`say-${id}`, `after ${id}`),
          ]
        }),
      ),
    stop: async () => {
      gates.open()
      await replicas.stop()
      await model.stop()
      await sink.stop()
    },
  }
}

/** The run as soon as it is neither running nor queued. */
export const endedRun = (server: ServerProcess, runId: string) =>
  until('the end of the run', async () => {
    const run = await runOf(server.api, runId).catch(() => undefined)
    return run && run.status !== 'running' && run.status !== 'queued' ? run : undefined
  })
