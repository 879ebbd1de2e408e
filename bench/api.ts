import { type ServerProcess, token } from './server-process.ts'

/** One call as the operator; any failure ends the benchmark. */
export async function post<Answer>(
  { base }: Pick<ServerProcess, 'base'>,
  path: string,
  body: object,
): Promise<Answer> {
  const answer = await fetch(`${base}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${text.slice(0, 500)}`)
  return JSON.parse(text) as Answer
}

export async function createWorkflow(server: Pick<ServerProcess, 'base'>, workflow: object): Promise<string> {
  const { data } = await post<{ data: { id: string } }>(server, '/workflow/create', { workflow })
  return data.id
}

export async function createAgent(server: Pick<ServerProcess, 'base'>): Promise<string> {
  const { data } = await post<{ data: { id: string } }>(server, '/agent/create', { name: 'Bench' })
  return data.id
}

export async function createConversation(
  server: Pick<ServerProcess, 'base'>,
  agentId: string,
): Promise<string> {
  const answer = await post<{ conversation_id: string }>(server, '/conversation/create', {
    agent_id: agentId,
  })
  return answer.conversation_id
}
