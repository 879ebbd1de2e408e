import type {
  LanguageModel,
  LanguageModels,
  ModelAnswer,
  ModelRequest,
  ToolCall,
} from '../../src/models/language-model.ts'
import { fillSchema } from './fill-schema.ts'

/** The response of the model to one call. An error is thrown after the pieces were passed on. */
export interface ModelPlan {
  text?: string
  pieces?: string[]
  toolCalls?: ToolCall[]
  error?: unknown
}

export interface ScriptedLanguageModel extends LanguageModel {
  /** Every request so far, the oldest first. */
  readonly requests: ModelRequest[]
}

/** The last user message, as a provider would see it. */
export const lastWords = (request: ModelRequest): string =>
  request.messages
    .findLast(message => message.role === 'user')!
    .parts.flatMap(part => (part.type === 'text' ? [part.text] : []))
    .join(' ')

export const systemOf = (request: ModelRequest): string =>
  request.messages.flatMap(message => (message.role === 'system' ? [message.text] : [])).join('\n')

/**
 * Responds according to the script, `count` being 1 for the first call; else with an echo, or a value of the schema.
 */
export function scriptedLanguageModel(
  script: (request: ModelRequest, count: number) => ModelPlan | undefined = () => undefined,
): ScriptedLanguageModel {
  const requests: ModelRequest[] = []
  return {
    name: 'scripted',
    requests,
    async generate(request, onText, signal): Promise<ModelAnswer> {
      const plan = script(request, requests.push(request)) ?? {}
      const toolCalls = plan.toolCalls ?? []
      const schema = request.jsonSchema?.schema
      const words = lastWords(request)
      const made = schema ? JSON.stringify(fillSchema({ ...schema }, words)) : `echo: ${words}`
      const text = plan.pieces?.join('') ?? plan.text ?? (toolCalls.length > 0 ? '' : made)
      for (const piece of plan.pieces ?? text.match(/[\s\S]{1,4}/gu) ?? []) {
        signal.throwIfAborted()
        onText(piece, false)
      }
      if (plan.error !== undefined) throw plan.error
      return { text, toolCalls, usage: { promptTokens: 10, completionTokens: 5 } }
    },
  }
}

/** Services whose only model is this one, under any name; the requested names are recorded. */
export function onlyModel(model: LanguageModel): {
  models: LanguageModels & { asked: (string | undefined)[] }
} {
  const asked: (string | undefined)[] = []
  return {
    models: {
      asked,
      find: async (_, name) => {
        asked.push(name)
        return model
      },
      defaultName: async () => model.name,
    },
  }
}
