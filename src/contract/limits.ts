/** Every limit of the service in one place. The reference in docs/ is printed from here. */
export const limits = {
  /** Largest JSON body of an ordinary operation. */
  jsonBytes: 256 << 10,
  /** Largest JSON body that carries a graph. */
  graphBytes: 8 << 20,
  /** Largest JSON body of an upload; larger files go as multipart or as a raw body. */
  jsonUploadBytes: 32 << 20,
  /** Deepest nesting of a graph; a JSON body around it may be two levels deeper. */
  graphDepth: 64,
  /** Most nodes of a graph. */
  graphNodes: 2000,
  /** Characters of the id of a node that can be placed in a drawing. */
  placedNodeIdLength: 1000,
  /** Most edges of a graph. */
  graphEdges: 10_000,
  /** Findings listed in one answer; more are counted only. */
  findings: 500,
  /** Characters of a workflow's or a file's name. */
  nameLength: 255,
  /** Largest JSON body that adds documents to a knowledge base. */
  knowledgeBytes: 32 << 20,
  /** Most file ids of one call to a knowledge base, and most texts that one call adds. */
  documentsPerCall: 100,
  /** Characters of a text that is added as a document; longer ones go as files. */
  documentTextLength: 10_000_000,
  /** Characters of a knowledge base's name. */
  knowledgeNameLength: 100,
  /** Characters of a knowledge base's description. */
  descriptionLength: 2000,
  /** Characters of the name of a model. */
  modelNameLength: 200,
  /** Most models that a workspace brings along. */
  modelsPerWorkspace: 100,
  /** Characters of the key of a model. */
  apiKeyLength: 1000,
  /** Characters of the address of a model. */
  addressLength: 2000,
  /** How long a model that is tried out may take to answer. */
  modelTrialMilliseconds: 30_000,
  /** How long a request waits for a run to end; then it answers with what there is. */
  runWaitMilliseconds: 600_000,
  /** Characters of an answer that a list of runs shows. */
  listedAnswerLength: 500,
  /** Most days that one call reads the usage of. */
  usageDays: 366,
  /** Characters of a corrected chunk. */
  chunkTextLength: 40_000,
  /** Characters of a question to a knowledge base. */
  queryLength: 4000,
  /** Most keys of the metadata of a knowledge base or a document. */
  metadataKeys: 64,
  /** Characters of such a key. */
  metadataKeyLength: 100,
  /** Characters of a text in metadata or in a filter. */
  metadataValueLength: 1000,
  /** Most values in the metadata of a knowledge base or a document, those in lists included. */
  metadataValues: 200,
  /** Most items of a list in metadata. */
  metadataListItems: 50,
  /** Most keys of a filter. */
  filterKeys: 32,
  /** Most values that `in` of a filter lists. */
  filterListItems: 100,
  /** Largest JSON body that carries an agent or a message. */
  talkBytes: 1 << 20,
  /** Characters of an agent's name. */
  agentNameLength: 100,
  /** Characters of what an agent is told to be. */
  characterLength: 50_000,
  /** Most values that an agent remembers, and most knowledge bases that it knows. */
  agentEntries: 100,
  /** Most tools of an agent. */
  agentTools: 50,
  /** Most agents that one call looks up. */
  agentsPerCall: 100,
  /** Characters of what an agent remembers, and of what it learns from, each as JSON. */
  agentEntriesLength: 65_536,
  /** Characters of all settings of an agent together, as JSON. */
  agentConfigLength: 131_072,
  /** Characters of the text of one message in a conversation. */
  messageLength: 100_000,
  /** Characters that are kept of one reply in a conversation. */
  replyLength: 1 << 20,
  /** Most files of one message. */
  messageFiles: 20,
  /** Characters of the name of a user. */
  userLength: 128,
  /** Most messages that one call reads. */
  messagesPerCall: 1000,
  /** Largest recording that is turned into text. */
  voiceBytes: 25 << 20,
  /** How long a turn waits for another one of its conversation. */
  turnWaitMilliseconds: 30_000,
  /** Most turns without a token that one server runs at the same time. */
  anonymousTurns: 200,
  /** How often a stream of events looks whether its client may still have it. */
  admissionMilliseconds: 1000,
  /** A turn that has not begun to run after this long was interrupted by a crash. */
  turnStartMilliseconds: 60_000,
  /** Earlier turns that a run is told. */
  historyTurns: 50,
  /** Characters of earlier turns that a run is told. */
  historyLength: 65_536,
  /** Characters of an Idempotency-Key. */
  idempotencyKeyLength: 255,
  /** How long the answer to an Idempotency-Key is kept. */
  idempotencyHours: 24,
  /** Characters of an X-TraceId that is taken over. */
  traceIdLength: 128,
  /** Largest headers of a request. */
  headerBytes: 16 << 10,
  /** Time for all headers to arrive. */
  headersMilliseconds: 10_000,
  /** Time for a whole JSON body to arrive. */
  jsonBodyMilliseconds: 60_000,
  /** A body that sends nothing for this long is cut off. */
  bodyStallMilliseconds: 20_000,
  /** A download that takes nothing for this long is cut off. */
  downloadStallMilliseconds: 60_000,
  /** A stream of events in which nothing happens sends a comment this often. */
  eventCommentMilliseconds: 10_000,
  /** Unread rest of a refused body that is still taken off the line, so that the client sees the answer. */
  drainBytes: 64 << 20,
  /** How long that may take. */
  drainMilliseconds: 10_000,
  /** Temporary files untouched for this long are leftovers: longer than any live upload may stall. */
  temporaryFileMilliseconds: 40_000,
  /** Blobs without a row that are older than this are leftovers of a crash. */
  orphanBlobMilliseconds: 3_600_000,
  /** How long a request waits for a database connection. */
  databaseWaitMilliseconds: 2_000,
  /** A document whose reading gets no further for this long fails. */
  readingSilenceMilliseconds: 120_000,
  /** How long a stop waits for requests under way. */
  stopMilliseconds: 25_000,
} as const
