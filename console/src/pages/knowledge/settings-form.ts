import type { CallInput } from '../../api/operations.ts'
import type { KnowledgeBase } from './use-knowledge.ts'

type KnowledgePatch = CallInput<'POST /api/v1/knowledge/{knowledge_id}/update'>['body']
type Mode = KnowledgeBase['retrieval']['mode']

/** The settings of a knowledge base as form values. */
export interface SettingsForm {
  name: string
  description: string
  chunking: {
    strategy: KnowledgeBase['chunking']['strategy']
    size: number
    overlap: number
    /** Line breaks are written as `\n`, so that they can be seen and typed. */
    separators: string[]
  }
  /** An empty name means the server's embedding model. */
  embedding: { use: 'model' | 'none'; model: string }
  retrieval: { mode: Mode | 'auto'; top_k: number; score_threshold: number; rerank: boolean }
}

/** The server's defaults. */
export const usualSettings: SettingsForm = {
  name: '',
  description: '',
  chunking: { strategy: 'auto', size: 512, overlap: 64, separators: [] },
  embedding: { use: 'model', model: '' },
  retrieval: { mode: 'auto', top_k: 5, score_threshold: 0, rerank: false },
}

const escapes: [string, string][] = [
  ['\n', '\\n'],
  ['\t', '\\t'],
]
const shownSeparator = (text: string): string =>
  escapes.reduce((result, [from, to]) => result.replaceAll(from, to), text)
const meantSeparator = (text: string): string =>
  escapes.reduce((result, [to, from]) => result.replaceAll(from, to), text)

/** Chunking as the API takes it. */
export const chunkingOf = ({ separators, ...chunking }: SettingsForm['chunking']) => ({
  ...chunking,
  separators: separators.map(meantSeparator),
})

export const settingsOf = (base: KnowledgeBase): SettingsForm => ({
  name: base.name,
  description: base.description,
  chunking: { ...base.chunking, separators: (base.chunking.separators ?? []).map(shownSeparator) },
  embedding: base.embedding ? { use: 'model', model: base.embedding.model } : { use: 'none', model: '' },
  retrieval: { ...base.retrieval },
})

/** Merges the fields of one section into all values: a section must not restore values that another one changed. */
export const withFields = (
  before: SettingsForm,
  fields: { [Key in keyof SettingsForm]?: Partial<SettingsForm[Key]> },
): SettingsForm => ({
  name: fields.name ?? before.name,
  description: fields.description ?? before.description,
  chunking: { ...before.chunking, ...fields.chunking },
  embedding: { ...before.embedding, ...fields.embedding },
  retrieval: { ...before.retrieval, ...fields.retrieval },
})

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

function changes<Values extends object>(values: Values, before: Values): Partial<Values> {
  const keys = Object.keys(values) as (keyof Values)[]
  return Object.fromEntries(
    keys.filter(key => !isSame(values[key], before[key])).map(key => [key, values[key]]),
  ) as Partial<Values>
}

/** The saved settings with the input that was typed after they were sent. */
export const rebased = (typed: SettingsForm, sent: SettingsForm, saved: SettingsForm): SettingsForm =>
  withFields(saved, {
    ...(typed.name !== sent.name && { name: typed.name }),
    ...(typed.description !== sent.description && { description: typed.description }),
    chunking: changes(typed.chunking, sent.chunking),
    embedding: changes(typed.embedding, sent.embedding),
    retrieval: changes(typed.retrieval, sent.retrieval),
  })

/** Only changed settings: omitted ones stay as they are, including the server's defaults. */
export function patchOf(values: SettingsForm, before: SettingsForm): KnowledgePatch {
  const { separators, ...chunking } = changes(values.chunking, before.chunking)
  const { mode, ...retrieval } = changes(values.retrieval, before.retrieval)
  const patch: KnowledgePatch = {
    ...(values.name !== before.name && { name: values.name.trim() }),
    ...(values.description !== before.description && { description: values.description }),
  }
  if (separators || Object.keys(chunking).length > 0)
    patch.chunking = { ...chunking, ...(separators && { separators: separators.map(meantSeparator) }) }
  if ((mode && mode !== 'auto') || Object.keys(retrieval).length > 0)
    patch.retrieval = { ...retrieval, ...(mode && mode !== 'auto' && { mode }) }
  if (!isSame(values.embedding, before.embedding)) patch.embedding = embeddingOf(values.embedding)
  return patch
}

function embeddingOf({ use, model }: SettingsForm['embedding']): { model?: string } | null {
  if (use === 'none') return null
  return model.trim() === '' ? {} : { model: model.trim() }
}
