import type { SearchRequest, SearchResult } from '../knowledge/search/search-request.ts'
import type { LanguageModels } from '../models/language-model.ts'
import type { Speaker } from '../models/speaker.ts'
import type { WebSearch } from '../models/web-search.ts'
import type { CodeRunner } from '../tools/code-runner.ts'
import type { HttpClient } from '../tools/http-client.ts'
import type { ToolServers } from '../tools/tool-server.ts'
import type { RunFile } from '../workflow/step.ts'

export type FileContent =
  | { readonly type: 'text'; readonly name: string; readonly text: string }
  | { readonly type: 'image'; readonly name: string; readonly mimeType: string; readonly bytes: Uint8Array }

/** Something that a node received or made; the type of its content is detected. */
export interface NewFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** What kinds need besides the engine. A service that is not configured is undefined. */
export interface NodeServices {
  readonly models: LanguageModels
  /** Fails with an `AppError` if the knowledge base does not exist or its model fails. */
  searchKnowledge(workspaceId: string, knowledgeId: string, request: SearchRequest): Promise<SearchResult>
  readonly webSearch: WebSearch | undefined
  /** The speech model of a workspace; undefined if none is configured. */
  speaker(workspaceId: string): Promise<Speaker | undefined>
  readonly http: HttpClient
  readonly code: CodeRunner
  readonly toolServers: ToolServers
  /** Fails with an `AppError` that says why the file cannot be read. */
  readFile(workspaceId: string, fileId: string, signal: AbortSignal): Promise<FileContent>
  /** Those of the files that exist, each once, in the order of the ids. */
  findFiles(workspaceId: string, ids: readonly string[]): Promise<RunFile[]>
  /** Fails with an `AppError` if the workspace may not store more. */
  storeFile(workspaceId: string, file: NewFile): Promise<RunFile>
}
