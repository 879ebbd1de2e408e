/** One part of a prompt. Images are sent as bytes, since a provider cannot reach our files. */
export type ModelPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mimeType: string; readonly bytes: Uint8Array }

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** As the model wrote it; it may be invalid JSON. */
  readonly arguments: string
  /** A value that the provider needs back unchanged with this call: the thought signature of Gemini. */
  readonly signature?: string
}

export type ModelMessage =
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly parts: readonly ModelPart[] }
  | {
      readonly role: 'assistant'
      readonly text: string
      readonly toolCalls: readonly ToolCall[]
      /** Reasoning models need it back while they call tools. */
      readonly reasoning?: string
    }
  | { readonly role: 'tool'; readonly callId: string; readonly name: string; readonly text: string }

/** A function that the model may call. */
export interface ToolDefinition {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: string
  readonly description: string
  /** A JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** Parameters that a model's settings give to every request that does not set them itself. */
export interface ModelParameters {
  readonly temperature?: number | undefined
  readonly maxTokens?: number | undefined
  readonly topP?: number | undefined
  readonly frequencyPenalty?: number | undefined
  readonly presencePenalty?: number | undefined
  readonly stop?: readonly string[] | undefined
  readonly seed?: number | undefined
  readonly reasoningEffort?: string | undefined
}

export interface ModelRequest extends ModelParameters {
  readonly messages: readonly ModelMessage[]
  readonly tools?: readonly ToolDefinition[]
  /** The text should be JSON of this schema; the caller validates it, since providers do not guarantee it. */
  readonly jsonSchema?:
    | { readonly name: string; readonly schema: Readonly<Record<string, unknown>> }
    | undefined
  /** A model that cannot see images fails, instead of answering without them. */
  readonly requiresImages?: boolean
  /** Fails instead of waiting where the provider has asked to wait. */
  readonly skipsPause?: boolean
  /** Sent as a header, so that a provider that supports it does not do the work twice. */
  readonly idempotencyKey?: string
}

/** For sending a request in another form: a provider rejects a key that it has seen with another body. */
export const withOwnKey = (request: ModelRequest, form: string | number): ModelRequest =>
  request.idempotencyKey === undefined
    ? request
    : { ...request, idempotencyKey: `${request.idempotencyKey}.${form}` }

/** Features that a model is known to support or not. */
export interface ModelFeatures {
  readonly vision?: boolean
  readonly tools?: boolean
  readonly json_schema?: boolean
  readonly reasoning?: boolean
}

export interface TokenUsage {
  readonly promptTokens: number
  readonly completionTokens: number
  /** By the prices in the settings of the model; undefined where there are none. */
  readonly cost?: number
}

export interface ModelAnswer {
  readonly text: string
  /** What the model thought before it answered, if it is known. */
  readonly reasoning?: string
  /** Why the text is not complete, if it is not: the limit of tokens, or the provider's content filter. */
  readonly cutBy?: 'length' | 'content_filter'
  /** The provider's name of the model that answered, where it is not the one that was asked. */
  readonly model?: string
  readonly toolCalls: readonly ToolCall[]
  /** Images that the model made, as `data:` URLs. */
  readonly images?: readonly string[]
  readonly usage: TokenUsage
}

/** With `restarts`, earlier pieces were not part of the answer. `by` is the model that writes, if it is another one. */
export type OnText = (piece: string, restarts: boolean, by?: LanguageModel) => void

/** Generates text. One call is one attempt: the caller decides whether to retry. */
export interface LanguageModel {
  readonly name: string
  /** By the prices in the settings of the model; undefined where there are none. */
  costOf?(usage: TokenUsage): number | undefined
  /** Fails with a `ModelFailure`, also after pieces were passed to `onText`, or with the reason of an aborted signal. */
  generate(request: ModelRequest, onText: OnText, signal: AbortSignal): Promise<ModelAnswer>
}

/** The models that a workspace can use. */
export interface LanguageModels {
  /** Without a name, the default model. Fails with a `ModelNotConfigured` whose message says what to set. */
  find(workspaceId: string, name: string | undefined): Promise<LanguageModel>
  /** The name of the default model; empty when there is none. */
  defaultName(workspaceId: string): Promise<string>
}

/** Whether there is a model of that name, or a default one without a name. */
export const isConfigured = (models: LanguageModels, workspaceId: string, name: string | undefined) =>
  models.find(workspaceId, name).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ModelNotConfigured) return false
      throw error
    },
  )

/** There is no such model. The message names the setting or the operation that adds one. */
export class ModelNotConfigured extends Error {
  override readonly name = 'ModelNotConfigured'
}
