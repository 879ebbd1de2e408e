import type { SearchRequest, SearchResult } from '../knowledge/search/search-request.ts'
import type { LanguageModels } from '../models/language-model.ts'
import type { SpeechSynthesizer } from '../models/speech-synthesizer.ts'
import type { WebSearch } from '../models/web-search.ts'
import type { CodeRunner } from '../tools/code-runner.ts'
import type { HttpClient } from '../tools/http-client.ts'
import type { TemplateRenderer } from '../tools/template-renderer.ts'
import type { ToolServers } from '../tools/tool-server.ts'
import type { JsonRecord } from '../workflow/node-kind.ts'
import type { RunFile } from '../workflow/step.ts'

export type FileContent =
  | { readonly type: 'text'; readonly name: string; readonly text: string }
  | { readonly type: 'image'; readonly name: string; readonly mimeType: string; readonly bytes: Uint8Array }

/** Something that a node received or made; the type of its content is detected. */
export interface NewFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** A document whose text a node needs. */
export interface TextRequest {
  readonly fileId: string
  /** Not much more than this is read. */
  readonly maxLength: number
  readonly signal: AbortSignal
  /** Called when a thread is free; until then the file waits for its turn. */
  onStart(): void
}

/** How an agent answers: by running a workflow, or with a model, by the settings of an llm node without the prompt. */
export type AgentAnswers = { readonly workflowId: string } | { readonly settings: JsonRecord }

/** What kinds need besides the engine. A service that is not configured is undefined. */
export interface NodeServices {
  readonly models: LanguageModels
  /** Fails with an `AppError` if the knowledge base does not exist or its model fails. */
  searchKnowledge(workspaceId: string, knowledgeId: string, request: SearchRequest): Promise<SearchResult>
  findAgent(workspaceId: string, agentId: string): Promise<AgentAnswers | undefined>
  findWorkflow(workspaceId: string, id: string): Promise<{ readonly name: string } | undefined>
  /** The settings of shared tools of the workspace, in the form of a tool of an llm node, by id. */
  findTools(workspaceId: string, ids: readonly string[]): Promise<Record<string, JsonRecord>>
  readonly webSearch: WebSearch | undefined
  /** The speech model of a workspace; undefined if none is configured. */
  synthesizer(workspaceId: string): Promise<SpeechSynthesizer | undefined>
  readonly http: HttpClient
  readonly code: CodeRunner
  readonly jinja: TemplateRenderer
  readonly toolServers: ToolServers
  /** Fails with an `AppError` that says why the file cannot be read. */
  readFile(workspaceId: string, fileId: string, signal: AbortSignal): Promise<FileContent>
  /** Fails with an `AppError` that says why the file has no readable text. */
  extractText(workspaceId: string, request: TextRequest): Promise<string>
  /** The content of a stored file, while it is read. Fails with an `AppError` if it is missing or damaged. */
  fileContent(workspaceId: string, fileId: string): AsyncIterable<Uint8Array>
  /** Those of the files that exist, each once, in the order of the ids. */
  findFiles(workspaceId: string, ids: readonly string[]): Promise<RunFile[]>
  /** Fails with an `AppError` if the workspace may not store more. */
  storeFile(workspaceId: string, file: NewFile): Promise<RunFile>
}
