import { QuickjsCodeRunner } from '../adapters/code/quickjs-code-runner.ts'
import { parseAllowList } from '../adapters/egress/address-rules.ts'
import type { Egress } from '../adapters/egress/egress.ts'
import { createHttpClient } from '../adapters/egress/egress-http-client.ts'
import { EndpointHealths, endpointKey } from '../adapters/model/endpoint-health.ts'
import type { LanguageModelOptions } from '../adapters/model/language-model.ts'
import { LearnedValues } from '../adapters/model/learned-values.ts'
import type { Config } from '../config.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Exchange } from '../kernel/exchange.ts'
import type { ConnectModel, EnvironmentModel } from '../models/configured-models.ts'
import type { EmbeddingModel } from '../models/embedding-model.ts'
import type { LanguageModel } from '../models/language-model.ts'
import type { Reranker } from '../models/reranker.ts'
import type { Transcriber } from '../models/transcriber.ts'
import type { WebSearch } from '../models/web-search.ts'
import type { CodeRunner } from '../tools/code-runner.ts'
import type { HttpClient } from '../tools/http-client.ts'
import type { ToolServers } from '../tools/tool-server.ts'
import type { Tracer } from '../tracing/tracer.ts'

/** A user waits for the result of a search; ingestion can wait for minutes. */
const queryTimeouts = {
  attemptMilliseconds: 6000,
  totalMilliseconds: 8000,
  maxRetryAfterMilliseconds: 2000,
}

/** Loads a module with its first use, so that the start does not pay for it. */
function lazy<Value>(load: () => Promise<Value>) {
  let loaded: Promise<Value> | undefined
  return {
    get: () => (loaded ??= load()),
    /** Undefined if it was never used. */
    peek: () => loaded,
  }
}

/** TLS is loaded with the first call. An invalid entry is reported at once. */
function lazyEgress(allow: string[], tracer: Tracer | undefined): Egress {
  parseAllowList(allow)
  const egress = lazy(async () =>
    (await import('../adapters/egress/create-egress.ts')).createEgress({ allow }),
  )
  return {
    request: async (url, options) => {
      const traceparent = tracer?.traceparent()
      const headers = traceparent ? { headers: { ...options?.headers, traceparent } } : undefined
      return (await egress.get()).request(url, headers ? { ...options, ...headers } : options)
    },
    close: () => void egress.peek()?.then(opened => opened.close()),
  }
}

function lazyModel(name: string, load: () => Promise<LanguageModel>): LanguageModel {
  const model = lazy(load)
  return { name, generate: async (...call) => (await model.get()).generate(...call) }
}

function lazyToolServers(egress: Egress): Connections['toolServers'] {
  const servers = lazy(async () =>
    (await import('../adapters/mcp/mcp-tool-servers.ts')).createToolServers(egress),
  )
  return {
    list: async (...call) => (await servers.get()).list(...call),
    call: async (...call) => (await servers.get()).call(...call),
    inspect: async (...call) => (await servers.get()).inspect(...call),
    close: async () => (await servers.peek())?.close(),
  }
}

/** What calls other servers or runs user code. */
export interface Connections {
  embeddingModel: EmbeddingModel | undefined
  /** The same endpoint with the shorter timeouts of a query. */
  questionModel: EmbeddingModel | undefined
  reranker: Reranker | undefined
  environmentModel: EnvironmentModel | undefined
  connectModel: ConnectModel
  transcriber: Transcriber | undefined
  webSearch: WebSearch | undefined
  http: HttpClient
  toolServers: ToolServers & { close(): Promise<void> | void }
  code: CodeRunner & { close(): Promise<void> | void }
  closeOutbound(): void
}

const loadEmbedding = () => import('../adapters/model/embedding-model.ts')

/** Each is loaded only where it is used, to keep the start fast. Replicas exchange what they learn about endpoints. */
export async function openConnections(
  config: Config,
  exchangeOf: (topic: string) => Exchange,
  tracer?: Tracer,
): Promise<Connections> {
  const { model, embedding, rerank, transcribe, webSearch } = config
  const egress = lazyEgress(config.egressAllow, tracer)
  const healths = new EndpointHealths({}, exchangeOf('models.health'))
  const fallbacks = new LearnedValues<true>(systemClock, exchangeOf('models.fallbacks'))
  const exchangeFor = (endpoint: string) => (subject: string) => exchangeOf(`${endpoint}.${subject}`)
  const loadModel = async (
    workspaceId: string,
    options: Omit<LanguageModelOptions, 'egress' | 'health' | 'learned'>,
  ): Promise<LanguageModel> => {
    const { createLanguageModel } = await import('../adapters/model/language-model.ts')
    const { LearnedFallbacks } = await import('../adapters/model/request-fallbacks.ts')
    const key = endpointKey(workspaceId, options.baseUrl, options.apiKey)
    const learned = new LearnedFallbacks(fallbacks, `${key} ${options.model}`)
    return createLanguageModel({ egress, health: healths.of(key), learned, ...options })
  }
  return {
    embeddingModel:
      embedding &&
      (await loadEmbedding()).createEmbeddingModel({
        egress,
        exchange: exchangeFor('embedding'),
        ...embedding,
      }),
    questionModel:
      embedding &&
      (await loadEmbedding()).createEmbeddingModel({
        egress,
        exchange: exchangeFor('embedding.query'),
        ...embedding,
        ...queryTimeouts,
      }),
    reranker:
      rerank &&
      (await import('../adapters/model/rerank-model.ts')).createReranker({
        egress,
        exchange: exchangeFor('rerank'),
        ...rerank,
      }),
    environmentModel: model && {
      name: model.model,
      connect: workspaceId =>
        lazyModel(model.model, () => loadModel(workspaceId, { ...model, trusted: true })),
    },
    connectModel: (workspaceId, { name, ...connection }) =>
      loadModel(workspaceId, {
        ...connection,
        trusted: false,
        labels: {
          label: `Model "${name}"`,
          urlSetting: 'the base URL in Models',
          keySetting: 'the key in Models',
        },
      }),
    transcriber:
      transcribe &&
      (await import('../adapters/model/transcription-model.ts')).createTranscriber({
        egress,
        exchange: exchangeFor('transcription'),
        ...transcribe,
      }),
    webSearch:
      webSearch &&
      (await import('../adapters/model/searxng-search.ts')).createWebSearch({
        egress,
        exchange: exchangeFor('web-search'),
        ...webSearch,
      }),
    http: createHttpClient(egress),
    toolServers: lazyToolServers(egress),
    code: new QuickjsCodeRunner(),
    closeOutbound: () => egress.close(),
  }
}
