import { send } from './call.ts'
import type { CallInput } from './operations.ts'
import { addressOf, request } from './request.ts'

/**
 * Saves a server file through the browser. It is fetched with the token first: a plain link cannot carry one,
 * and an HTML file opened in a tab would run with the console's origin.
 */
export async function saveFile(fileId: string, name: string): Promise<void> {
  const address = addressOf('GET /api/v1/files/{file_id}', { params: { file_id: fileId } })
  await saveResponse(await request(address, {}), name)
}

/** Saves the trace of a run. */
export async function saveTrace(runId: string, format: 'json' | 'otlp'): Promise<void> {
  const address = addressOf('GET /api/v1/workflow/runs/{run_id}/export', {
    params: { run_id: runId },
    query: { format },
  })
  await saveResponse(await request(address, {}), `${runId}${format === 'otlp' ? '.otlp' : ''}.json`)
}

/** Saves the annotations of an agent. */
export async function saveAnnotations(agentId: string, format: 'csv' | 'jsonl'): Promise<void> {
  const address = addressOf('GET /api/v1/annotation/export', { query: { agent_id: agentId, format } })
  await saveResponse(await request(address, {}), `annotations-${agentId}.${format}`)
}

type Export = CallInput<'POST /api/v1/conversation/export'>['body']

/** Saves the messages of conversations. */
export async function saveConversations(body: Export, name: string): Promise<void> {
  const extension = body.format === 'markdown' ? 'md' : body.format
  await saveResponse(await send('POST /api/v1/conversation/export', { body }, '*/*'), `${name}.${extension}`)
}

/** Saves the golden questions of a knowledge base. */
export async function saveGoldenQuestions(knowledgeId: string, format: 'csv' | 'jsonl'): Promise<void> {
  const address = addressOf('GET /api/v1/knowledge/{knowledge_id}/golden/export', {
    params: { knowledge_id: knowledgeId },
    query: { format },
  })
  await saveResponse(await request(address, {}), `golden-questions-${knowledgeId}.${format}`)
}

async function saveResponse(response: Response, name: string): Promise<void> {
  const url = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = url
  link.download = name.split('/').at(-1) ?? name
  link.click()
  // The download has started by then, so the memory can be released.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
