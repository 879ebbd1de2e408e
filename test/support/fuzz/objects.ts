import { edge, graph, node } from '../../workflow/graphs.ts'
import type { ApiClient } from '../api-client.ts'
import type { KnownIds } from './sample.ts'

const runnable = graph(
  [node('input', 'input'), node('say', 'output', { answer: '{{#sys.query#}}' }), node('end', 'end')],
  [edge('input', 'say'), edge('say', 'end')],
)

export const filesPerRefresh = 3

/**
 * Creates objects of every kind in a workspace and returns their ids, by the prefix that the examples of the interface
 * use. It is called again and again, because requests that succeed delete them.
 */
export async function createObjects(admin: ApiClient, modelUrl: string): Promise<KnownIds> {
  const post = async (path: string, body: object) => (await admin.post(path, body)).json?.data ?? {}
  const files = await Promise.all(
    Array.from(
      { length: filesPerRefresh },
      async () => (await admin.upload('known.txt', 'known content')).json.data.file_id,
    ),
  )
  const workflows = ['wf_one', 'wf_two', 'wf_three']
  for (const id of workflows) await post('workflow/update', { id, workflow: runnable })
  const model = await post('model/create', { name: `m ${Date.now()}`, base_url: modelUrl, model: 'scripted' })
  const agent = await post('agent/create', { name: 'Known', config: { workflow_id: 'wf_one' } })
  const persona = await post('agent/create', { name: 'Persona', config: { character_profile: 'You echo.' } })
  const { knowledge_id: kb } = await post('knowledge/create', { name: `Known ${Date.now()}` })
  await post(`knowledge/${kb}`, { file_ids: [files[0]] })
  const conversation = await admin.post('conversation/create', { agent_id: agent.id })
  const run = await post('workflow/run', { id: 'wf_one', query: 'hello' })
  const token = await post('token/create', { name: 'victim', role: 'viewer' })
  const ids = {
    wf: workflows,
    file: files,
    model: [model.id],
    agent: [agent.id, persona.id],
    kb: [kb],
    conv: [conversation.json.conversation_id],
    run: [run.run_id],
    tok: [token.id],
  }
  return Object.fromEntries(
    Object.entries(ids).map(([prefix, found]) => [prefix, found.filter(id => typeof id === 'string')]),
  )
}
