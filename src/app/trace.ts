import type { EmbeddingModel } from '../models/embedding-model.ts'
import type {
  LanguageModel,
  ModelAnswer,
  ModelMessage,
  ModelRequest,
  ToolCall,
} from '../models/language-model.ts'
import { errorType } from '../tracing/span.ts'
import type { Tracer } from '../tracing/tracer.ts'
import type { KindRegistry, NodeKind } from '../workflow/node-kind.ts'
import type { RunDependencies } from '../workflow/run/run-context.ts'
import type { Adapters } from './adapters.ts'
import { observed, wrapModels } from './wrap-models.ts'

/** Attributes follow the semantic conventions of OpenTelemetry for generative AI. */
const provider = { 'gen_ai.provider.name': 'openai_compatible' }

const textPart = (content: string): object => ({ type: 'text', content })

const toolCallPart = ({ id, name, arguments: args }: ToolCall): object => ({
  ...{ type: 'tool_call', id, name, arguments: args },
})

/** The parts of a message; images are only named. */
function partsOf(message: ModelMessage): object[] {
  switch (message.role) {
    case 'system':
      return [textPart(message.text)]
    case 'user':
      return message.parts.map(part => (part.type === 'text' ? textPart(part.text) : { type: part.type }))
    case 'assistant':
      return [textPart(message.text), ...message.toolCalls.map(toolCallPart)]
    case 'tool':
      return [{ type: 'tool_call_response', id: message.callId, response: message.text }]
  }
}

const requestContent = ({ messages }: ModelRequest): string =>
  JSON.stringify(messages.map(message => ({ role: message.role, parts: partsOf(message) })))

const answerContent = ({ text, toolCalls }: ModelAnswer): string =>
  JSON.stringify([{ role: 'assistant', parts: [textPart(text), ...toolCalls.map(toolCallPart)] }])

const traceChat = (model: LanguageModel, tracer: Tracer): LanguageModel => ({
  name: model.name,
  generate: (request, ...rest) => {
    const attributes = {
      'gen_ai.operation.name': 'chat',
      ...provider,
      'gen_ai.request.model': model.name,
      'gen_ai.request.temperature': request.temperature,
      'gen_ai.request.max_tokens': request.maxTokens,
      'gen_ai.input.messages': tracer.capturesContent ? requestContent(request) : undefined,
    }
    return tracer.record({ name: `chat ${model.name}`, kind: 'client', attributes }, async span => {
      const answer = await model.generate(request, ...rest)
      span?.set({
        'gen_ai.usage.input_tokens': answer.usage.promptTokens,
        'gen_ai.usage.output_tokens': answer.usage.completionTokens,
        'gen_ai.output.messages': tracer.capturesContent ? answerContent(answer) : undefined,
      })
      return answer
    })
  },
})

const traceEmbedding = (model: EmbeddingModel, tracer: Tracer): EmbeddingModel => ({
  embed: (name, texts, caller) => {
    const attributes = { 'gen_ai.operation.name': 'embeddings', ...provider, 'gen_ai.request.model': name }
    return tracer.record({ name: `embeddings ${name}`, kind: 'client', attributes }, () =>
      model.embed(name, texts, caller),
    )
  },
})

/** The same adapters, with a span for every call to a model or a tool. */
export function traceProviders(adapters: Adapters, tracer: Tracer): Adapters {
  const { toolServers } = adapters
  return {
    ...adapters,
    ...wrapModels(adapters, {
      chat: model => traceChat(model, tracer),
      embedding: ({ ingestion, query }) => ({
        ingestion: traceEmbedding(ingestion, tracer),
        query: traceEmbedding(query, tracer),
      }),
    }),
    toolServers: {
      ...toolServers,
      call: (server, tool, ...rest) => {
        const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool }
        return tracer.record({ name: `execute_tool ${tool}`, attributes }, () =>
          toolServers.call(server, tool, ...rest),
        )
      },
    },
  }
}

/** The same kinds, with a span for every attempt of a step. */
export function traceKinds(kinds: KindRegistry, tracer: Tracer): KindRegistry {
  const traced = (kind: NodeKind<unknown>): NodeKind<unknown> => ({
    ...kind,
    run: (step, ...rest) => {
      const span = tracer.start({
        name: `node ${kind.kind}`,
        attributes: {
          'banyan.node.id': step.nodeId,
          'banyan.node.kind': kind.kind,
          'banyan.node.attempt': step.attempt,
          'banyan.run.id': step.runId,
        },
      })
      if (!span) return kind.run(step, ...rest)
      return observed(
        () => tracer.within(span, () => kind.run(step, ...rest)),
        error => span.end(error === undefined ? undefined : errorType(error)),
      )
    },
  })
  return new Map([...kinds].map(([name, kind]) => [name, traced(kind)]))
}

/** A span for every run, from its start, recovery or resumption here until it ends or waits. */
export const traceRuns =
  (tracer: Tracer): NonNullable<RunDependencies['trace']> =>
  ({ workspaceId, run }, begin) => {
    const operation = run.agentId === '' ? 'invoke_workflow' : 'invoke_agent'
    const span = tracer.start({
      name: `${operation} ${run.agentId || run.workflowId}`,
      attributes: {
        'gen_ai.operation.name': operation,
        'gen_ai.workflow.name': run.workflowId || undefined,
        'gen_ai.agent.id': run.agentId || undefined,
        'gen_ai.conversation.id': run.conversationId || undefined,
        'banyan.run.id': run.id,
        'banyan.run.trigger': run.trigger,
        'banyan.workspace.id': workspaceId,
      },
    })
    const task = tracer.within(span, begin)
    task.settled.then(
      ({ run: ended }) => {
        span?.set({ 'banyan.run.status': ended.status })
        span?.end(ended.status === 'failed' ? (ended.error?.reason ?? 'failed') : undefined)
      },
      (error: unknown) => span?.end(errorType(error)),
    )
    return task
  }
