import { PooledCodeRunner } from '../adapters/code/pooled-code-runner.ts'
import type { Egress } from '../adapters/egress/egress.ts'
import { createHttpClient } from '../adapters/egress/egress-http-client.ts'
import { createPageFetcher } from '../adapters/egress/egress-page-fetcher.ts'
import type { EndpointLabels, EndpointOptions } from '../adapters/model/endpoint.ts'
import { EndpointHealths, endpointKey } from '../adapters/model/endpoint-health.ts'
import type { LanguageModelOptions } from '../adapters/model/language-model.ts'
import { LearnedValues } from '../adapters/model/learned-values.ts'
import type { Config, EndpointConfig } from '../config/config.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Exchange } from '../kernel/exchange.ts'
import type { PageFetcher } from '../knowledge/web/page-fetcher.ts'
import type { ConnectModel, EnvironmentModel, ModelConnection } from '../models/configured-models.ts'
import type { LanguageModel } from '../models/language-model.ts'
import type { WebSearch } from '../models/web-search.ts'
import type { EnvironmentModels, ModelConnectors } from '../models/workspace-models.ts'
import type { CodeRunner } from '../tools/code-runner.ts'
import type { HttpClient } from '../tools/http-client.ts'
import type { ToolServers } from '../tools/tool-server.ts'
import type { Tracer } from '../tracing/tracer.ts'

/** Timeouts of a search, whose result a user waits for; ingestion can wait for minutes. */
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

/** TLS is loaded with the first call. */
function lazyEgress(allow: string[], tracer: Tracer | undefined): Egress {
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

/** The clients of other servers, and the sandboxes for user code. */
export interface Connections {
  environmentModel: EnvironmentModel | undefined
  /** The vision model of the server settings, for scans and images. */
  ocrModel: EnvironmentModel | undefined
  connectModel: ConnectModel
  /** The models of the server settings, except for chat. */
  environmentModels: EnvironmentModels
  connectors: ModelConnectors
  webSearch: WebSearch | undefined
  http: HttpClient
  pages: PageFetcher
  toolServers: ToolServers & { close(): Promise<void> | void }
  code: CodeRunner & { close(): Promise<void> | void }
  closeOutbound(): void
}

const loadEmbedding = async () => (await import('../adapters/model/embedding-model.ts')).createEmbeddingModel
const loadReranker = async () => (await import('../adapters/model/rerank-model.ts')).createReranker
const loadSynthesizer = async () =>
  (await import('../adapters/model/audio-models.ts')).createSpeechSynthesizer
const loadTranscriber = async () => (await import('../adapters/model/audio-models.ts')).createTranscriber

type EndpointSource = Pick<EndpointOptions, 'egress'> & {
  exchangeFor: (endpoint: string) => EndpointOptions['exchange']
}

/** Opens the models of the server settings, which all workspaces share. */
async function openEnvironment(config: Config, source: EndpointSource): Promise<EnvironmentModels> {
  const { embedding, rerank, transcribe, speech } = config
  const endpoint = (name: string) => ({ egress: source.egress, exchange: source.exchangeFor(name) })
  const createEmbedding = embedding && (await loadEmbedding())
  return {
    embeddingName: embedding?.model,
    embedding: createEmbedding && {
      ingestion: createEmbedding({ ...endpoint('embedding'), ...embedding }),
      query: createEmbedding({ ...endpoint('embedding.query'), ...embedding, ...queryTimeouts }),
    },
    rerank: rerank && (await loadReranker())({ ...endpoint('rerank'), ...rerank }),
    transcription: transcribe && (await loadTranscriber())({ ...endpoint('transcription'), ...transcribe }),
    speech:
      speech &&
      (await loadSynthesizer())({
        ...endpoint('speech'),
        ...speech,
        extraBody: { voice: config.speechVoice },
      }),
  }
}

const workspaceLabels = (name: string): EndpointLabels => ({
  label: `Model "${name}"`,
  urlSetting: 'its base URL',
  keySetting: 'its key in Models',
})

/** The settings that messages about the vision model name: without its own, it uses those of the default model. */
const ocrLabels = ({ ocrBaseUrl, ocrApiKey }: Config, { model }: EndpointConfig): EndpointLabels => ({
  label: `Model "${model}"`,
  urlSetting: ocrBaseUrl === undefined ? 'MODEL_BASE_URL' : 'OCR_BASE_URL',
  keySetting: ocrBaseUrl === undefined && ocrApiKey === undefined ? 'MODEL_API_KEY' : 'OCR_API_KEY',
})

/** The address of a workspace is not trusted: private ones are refused. */
const endpointOfWorkspace = (egress: Egress, { name, model, options, ...connection }: ModelConnection) => ({
  ...{ egress, model, trusted: false, labels: workspaceLabels(name) },
  ...{ baseUrl: connection.baseUrl, apiKey: connection.apiKey, headers: connection.headers },
  extraBody: options.extraBody,
})

function createConnectors(egress: Egress): ModelConnectors {
  return {
    embedding: async connection => {
      const create = await loadEmbedding()
      const endpoint = endpointOfWorkspace(egress, connection)
      return { ingestion: create(endpoint), query: create({ ...endpoint, ...queryTimeouts }) }
    },
    rerank: async connection => (await loadReranker())(endpointOfWorkspace(egress, connection)),
    transcription: async connection => (await loadTranscriber())(endpointOfWorkspace(egress, connection)),
    speech: async connection => (await loadSynthesizer())(endpointOfWorkspace(egress, connection)),
    discover: async (connection, caller) => {
      const { listModels } = await import('../adapters/model/list-models.ts')
      return listModels(endpointOfWorkspace(egress, connection), caller)
    },
  }
}

/** Each client is loaded on first use, to keep the start fast. Replicas exchange their knowledge about endpoints. */
export async function openConnections(
  config: Config,
  exchangeOf: (topic: string) => Exchange,
  tracer?: Tracer,
): Promise<Connections> {
  const { model, ocrEndpoint, webSearch } = config
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
    const secret = JSON.stringify([options.apiKey, options.headers])
    const key = endpointKey(workspaceId, options.baseUrl, secret)
    const learned = new LearnedFallbacks(fallbacks, `${key} ${options.model}`)
    return createLanguageModel({ egress, health: healths.of(key), learned, ...options })
  }
  const environmentChat = (settings: EndpointConfig, labels?: EndpointLabels): EnvironmentModel => ({
    name: settings.model,
    connect: workspaceId =>
      lazyModel(settings.model, () => loadModel(workspaceId, { ...settings, labels, trusted: true })),
  })
  return {
    environmentModels: await openEnvironment(config, { egress, exchangeFor }),
    connectors: createConnectors(egress),
    environmentModel: model && environmentChat(model),
    ocrModel: ocrEndpoint && environmentChat(ocrEndpoint, ocrLabels(config, ocrEndpoint)),
    connectModel: (workspaceId, connection) => {
      const { contextLength, supports } = connection.options
      return loadModel(workspaceId, { ...endpointOfWorkspace(egress, connection), contextLength, supports })
    },
    webSearch:
      webSearch &&
      (await import('../adapters/model/searxng-search.ts')).createWebSearch({
        egress,
        exchange: exchangeFor('web-search'),
        ...webSearch,
      }),
    http: createHttpClient(egress),
    pages: createPageFetcher(egress),
    toolServers: lazyToolServers(egress),
    code: new PooledCodeRunner(),
    closeOutbound: () => egress.close(),
  }
}
