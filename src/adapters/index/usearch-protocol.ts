import type { VectorHit } from '../../knowledge/search/vector-index.ts'

/** What the worker is started with. */
export interface UsearchSettings {
  databasePath: string
  /** Where index files are kept. */
  folder: string
  memoryBytes: number
  exactFloats: number
}

export interface SearchCall {
  kind: 'search'
  workspaceId: string
  generationId: string
  vector: Float32Array
  limit: number
  batchIds: Set<string> | undefined
}

export interface RefreshCall {
  kind: 'refresh'
  workspaceId: string
  generationId: string
}

export type UsearchCall = SearchCall | RefreshCall | { kind: 'tidy' } | { kind: 'close' }
export type UsearchRequest = UsearchCall & { number: number }
export type UsearchAnswer =
  | { number: number; hits: VectorHit[] }
  | { number: number; failure: { message: string; stack: string | undefined } }
