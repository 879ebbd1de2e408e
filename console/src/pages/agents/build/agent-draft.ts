import type { Avatar } from '../../../../../src/contract/avatar.ts'
import type { AvatarColor } from '../../../ui/agent-mark.tsx'
import type { ToolDraft } from '../../../ui/tools/tool-settings.ts'
import type { AgentRecord } from '../agent-record.ts'
import { type MemoryRow, memoryOf, memoryRowsOf } from './memory-draft.ts'

/** The editable fields of an agent, as the form holds them. */
export interface AgentDraft {
  name: string
  intro: string
  /** Empty for an avatar that follows from the name. */
  emoji: string
  color: AvatarColor | ''
  access: AgentRecord['access']
  profile: string
  model: string
  prologue: string
  questions: readonly string[]
  suggestsQuestions: boolean
  workflowId: string
  knowledgeIds: readonly string[]
  searchesWeb: boolean
  tools: readonly ToolDraft[]
  memory: readonly MemoryRow[]
}

const webSearch = 'web_search'

export function draftOf({ name, intro, access, config, learn, memory }: AgentRecord): AgentDraft {
  const tools = Object.entries(config.tools ?? {})
  return {
    name,
    intro,
    emoji: config.avatar?.emoji ?? '',
    color: config.avatar?.color ?? '',
    access,
    profile: config.character_profile ?? '',
    model: config.model ?? '',
    prologue: config.prologue ?? '',
    questions: config.recommendation_question ?? [],
    suggestsQuestions: config.suggest_questions ?? false,
    workflowId: config.workflow_id ?? '',
    knowledgeIds: Object.keys(learn),
    searchesWeb: tools.some(([tool]) => tool === webSearch),
    tools: tools
      .filter(([tool]) => tool !== webSearch)
      .map(([tool, { version, running_config: running = {} }]) => ({ name: tool, version, running })),
    memory: memoryRowsOf(memory),
  }
}

const toolsOf = ({ tools, searchesWeb }: AgentDraft, before: AgentRecord['config']['tools']) => ({
  ...(searchesWeb && { [webSearch]: before?.[webSearch] ?? {} }),
  ...Object.fromEntries(
    tools.map(({ name, version, running }) => [
      name.trim(),
      { ...(version !== undefined && { version }), running_config: running },
    ]),
  ),
})

const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text)

/** The avatar as it is stored; null for none. */
export const avatarOf = ({ emoji, color }: Pick<AgentDraft, 'emoji' | 'color'>): Avatar | null =>
  emoji === '' && color === '' ? null : { ...(emoji !== '' && { emoji }), ...(color !== '' && { color }) }

/** Drafts contain only JSON, with members in a fixed order. */
export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

type AgentChange = Partial<Pick<AgentRecord, 'name' | 'intro' | 'access' | 'learn' | 'memory'>> & {
  config?: Record<string, unknown>
}

/**
 * The update request that turns an agent into its draft: only differences, so that settings without a field,
 * and concurrent changes of others, are preserved.
 */
export function changeOf(agent: AgentRecord, draft: AgentDraft): AgentChange {
  const before = draftOf(agent)
  const differs = (...fields: (keyof AgentDraft)[]): boolean =>
    fields.some(field => !isSame(before[field], draft[field]))
  const questions = draft.questions.filter(question => question.trim() !== '')
  const config = {
    ...(differs('emoji', 'color') && { avatar: avatarOf(draft) }),
    ...(differs('profile') && { character_profile: textOrNull(draft.profile) }),
    ...(differs('model') && { model: textOrNull(draft.model.trim()) }),
    ...(differs('prologue') && { prologue: textOrNull(draft.prologue) }),
    ...(differs('questions') && { recommendation_question: questions.length > 0 ? questions : null }),
    ...(differs('suggestsQuestions') && { suggest_questions: draft.suggestsQuestions || null }),
    ...(differs('workflowId') && { workflow_id: textOrNull(draft.workflowId) }),
    ...(differs('tools', 'searchesWeb') && { tools: toolsOf(draft, agent.config.tools) }),
  }
  return {
    ...(differs('name') && { name: draft.name.trim() }),
    ...(differs('intro') && { intro: draft.intro }),
    ...(differs('access') && { access: draft.access }),
    ...(differs('knowledgeIds') && {
      learn: Object.fromEntries(draft.knowledgeIds.map(id => [id, agent.learn[id] ?? {}])),
    }),
    ...(differs('memory') && { memory: memoryOf(draft.memory) }),
    ...(Object.keys(config).length > 0 && { config }),
  }
}

export const isChanged = (agent: AgentRecord, draft: AgentDraft): boolean => !isSame(draftOf(agent), draft)

/** A draft with the record it is based on. */
export interface Editing {
  base: AgentRecord
  draft: AgentDraft
}

/** Rebases a draft onto a newer record: fields that were not edited here take the newer values. */
export function rebased({ base, draft }: Editing, agent: AgentRecord): AgentDraft {
  if (base === agent) return draft
  const before = draftOf(base)
  const fields = Object.keys(before) as (keyof AgentDraft)[]
  const edited = fields.filter(field => !isSame(before[field], draft[field]))
  return { ...draftOf(agent), ...Object.fromEntries(edited.map(field => [field, draft[field]])) }
}
