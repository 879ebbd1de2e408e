/** Every limit of the service in one place. The reference in docs/ is generated from here. */
export const limits = {
  /** Maximum size of a JSON body, unless the operation has its own limit. */
  jsonBytes: 256 << 10,
  /** Maximum size of a JSON body with a graph. */
  graphBytes: 8 << 20,
  /** Maximum size of a JSON upload; send larger files as multipart or as a raw body. */
  jsonUploadBytes: 32 << 20,
  /** Maximum nesting depth of a graph; a JSON body may be two levels deeper. */
  graphDepth: 64,
  /** Maximum number of nodes in a graph. */
  graphNodes: 2000,
  /** Maximum length of a node id with a stored position. */
  placedNodeIdLength: 1000,
  /** Maximum number of edges in a graph. */
  graphEdges: 10_000,
  /** Maximum number of validation problems listed in one response; the rest are only counted. */
  findings: 500,
  /** Maximum length of the name of a workflow or file. */
  nameLength: 255,
  /** Maximum size of a JSON body that adds documents to a knowledge base. */
  knowledgeBytes: 32 << 20,
  /** Maximum number of file ids, and of texts, in one call to a knowledge base. */
  documentsPerCall: 100,
  /** Maximum length of a text added as a document; upload longer ones as files. */
  documentTextLength: 10_000_000,
  /** Maximum length of the name of a knowledge base. */
  knowledgeNameLength: 100,
  /** Maximum length of a description. */
  descriptionLength: 2000,
  /** Maximum length of a model name. */
  modelNameLength: 200,
  /** Maximum number of models per workspace. */
  modelsPerWorkspace: 100,
  /** Maximum length of the API key of a model. */
  apiKeyLength: 1000,
  /** Maximum length of the base URL of a model. */
  addressLength: 2000,
  /** Timeout of a model test. */
  modelTestMilliseconds: 30_000,
  /** How long a request waits for a run to end before it returns the current state. */
  runWaitMilliseconds: 600_000,
  /** Characters of an answer that a list of runs includes. */
  listedAnswerLength: 500,
  /** Maximum number of days in one usage query. */
  usageDays: 366,
  /** Maximum length of an edited chunk. */
  chunkTextLength: 40_000,
  /** Maximum length of a search query. */
  queryLength: 4000,
  /** Maximum number of metadata keys of a knowledge base or document. */
  metadataKeys: 64,
  /** Maximum length of a metadata key. */
  metadataKeyLength: 100,
  /** Maximum length of a string in metadata or in a filter. */
  metadataValueLength: 1000,
  /** Maximum number of metadata values of a knowledge base or document, including list items. */
  metadataValues: 200,
  /** Maximum number of items in a metadata list. */
  metadataListItems: 50,
  /** Maximum number of keys in a filter. */
  filterKeys: 32,
  /** Maximum number of values for `in` in a filter. */
  filterListItems: 100,
  /** Maximum size of a JSON body with an agent or a message. */
  messageBytes: 1 << 20,
  /** Maximum length of the name of an agent. */
  agentNameLength: 100,
  /** Maximum length of the persona of an agent. */
  personaLength: 50_000,
  /** Maximum number of memory variables, and of knowledge bases, of an agent. */
  agentEntries: 100,
  /** Maximum number of tools of an agent. */
  agentTools: 50,
  /** Maximum number of agents in one lookup. */
  agentsPerCall: 100,
  /** Maximum length of `memory`, and of `learn`, of an agent, as JSON. */
  agentEntriesLength: 65_536,
  /** Maximum length of `config` of an agent, as JSON. */
  agentConfigLength: 131_072,
  /** Maximum length of a message in a conversation. */
  messageLength: 100_000,
  /** Characters of one reply that a conversation stores. */
  replyLength: 1 << 20,
  /** Maximum number of files in a message. */
  messageFiles: 20,
  /** Maximum length of a user id. */
  userLength: 128,
  /** Maximum number of messages in one response. */
  messagesPerCall: 1000,
  /** Maximum size of a recording for transcription. */
  voiceBytes: 25 << 20,
  /** How long a turn waits for the previous turn of its conversation. */
  turnWaitMilliseconds: 30_000,
  /** Maximum number of concurrent turns without a token per server. */
  anonymousTurns: 200,
  /** How often an event stream checks that its client is still authorized. */
  reauthorizeMilliseconds: 1000,
  /** A turn without a run after this long was interrupted by a crash. */
  turnStartMilliseconds: 60_000,
  /** Maximum number of previous turns in the history of a run. */
  historyTurns: 50,
  /** Maximum length of the history of a run. */
  historyLength: 65_536,
  /** Maximum length of an Idempotency-Key. */
  idempotencyKeyLength: 255,
  /** How long the response to an Idempotency-Key is kept. */
  idempotencyHours: 24,
  /** Maximum length of an accepted X-TraceId. */
  traceIdLength: 128,
  /** Maximum size of request headers. */
  headerBytes: 16 << 10,
  /** Timeout for receiving all headers. */
  headersMilliseconds: 10_000,
  /** Timeout for receiving a whole JSON body. */
  jsonBodyMilliseconds: 60_000,
  /** An upload without data for this long is aborted. */
  bodyStallMilliseconds: 20_000,
  /** A download that makes no progress for this long is aborted. */
  downloadStallMilliseconds: 60_000,
  /** How often an idle event stream sends a comment. */
  eventCommentMilliseconds: 10_000,
  /** How much of a rejected body is still read, so that the client sees the response. */
  drainBytes: 64 << 20,
  /** How long reading the rest of a rejected body may take. */
  drainMilliseconds: 10_000,
  /** Temporary files unchanged for this long are deleted; longer than an upload may stall. */
  temporaryFileMilliseconds: 40_000,
  /** Blobs without a row are deleted after this long. */
  orphanBlobMilliseconds: 3_600_000,
  /** How long a request waits for a database connection. */
  databaseWaitMilliseconds: 2_000,
  /** A document whose ingestion makes no progress for this long fails. */
  ingestionStallMilliseconds: 120_000,
  /** How long a shutdown waits for requests in progress. */
  stopMilliseconds: 25_000,
} as const
