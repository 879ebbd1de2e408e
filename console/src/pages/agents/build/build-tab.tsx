import { ReloadOutlined } from '@ant-design/icons'
import { useQueryClient } from '@tanstack/react-query'
import { Alert, App, Button } from 'antd'
import { useEffect, useEffectEvent, useState } from 'react'
import { call } from '../../../api/call.ts'
import { onSignedOut } from '../../../api/token.ts'
import { useMay } from '../../../session/use-session.ts'
import { Failure } from '../../../ui/failure.tsx'
import { useLanguage } from '../../../ui/preferences.ts'
import { explainField } from '../../../ui/server-texts/message-facts.ts'
import { defineWords } from '../../../ui/words.ts'
import { type AgentRecord, agentKey, type Warning } from '../agent-record.ts'
import { Chat } from '../chat/chat.tsx'
import { chatAgentOf } from '../chat/chat-agent.ts'
import {
  type AgentDraft,
  changeOf,
  draftOf,
  type Editing,
  isChanged,
  isSame,
  rebased,
} from './agent-draft.ts'
import { IdentityFields, OpeningFields } from './identity-fields.tsx'
import { KnowledgeFields } from './knowledge-select.tsx'
import { memoryProblems } from './memory-draft.ts'
import { MemoryFields } from './memory-fields.tsx'
import { PersonaFields } from './persona-fields.tsx'
import { ToolFields } from './tool-fields.tsx'

const useWords = defineWords(
  {
    save: 'Save',
    discard: 'Discard changes',
    unsaved: 'Unsaved changes',
    allSaved: 'All changes saved',
    form: 'Agent settings',
    warnings: 'Saved, but these problems affect its answers:',
    readOnly: 'View only: your token cannot change this agent.',
    name: 'Enter a name before you save.',
    memory: 'Give each memory value a unique key before you save.',
  },
  {
    save: '保存',
    discard: '放弃修改',
    unsaved: '有未保存的修改',
    allSaved: '已全部保存',
    form: '智能体设置',
    warnings: '已保存，但以下问题会影响它的回答：',
    readOnly: '仅可查看：你的令牌不能修改这个智能体。',
    name: '保存前请填写名称。',
    memory: '保存前请为每个记忆值填写不同的键。',
  },
)

/** The part of the draft that has to be fixed before it can be saved. */
function missingIn({ name, memory }: AgentDraft): 'name' | 'memory' | undefined {
  if (name.trim() === '') return 'name'
  return memoryProblems(memory).some(problem => problem !== undefined) ? 'memory' : undefined
}

/** The settings of an agent, beside a preview chat. */
export function BuildTab({ agent }: { agent: AgentRecord }) {
  const words = useWords()
  const may = useMay()
  const control = useDraft(agent)
  const { draft, isDirty } = control
  const { save, isSaving, error, warnings } = useSave(agent, control)
  const part = { draft, edit: control.edit, isDisabled: !may.write }
  const missing = missingIn(draft)
  useSaveKey(() => {
    if (may.write && isDirty && !missing && !isSaving) void save()
  })
  return (
    <div className="build">
      <form
        className="build-form"
        aria-label={words.form}
        onSubmit={event => {
          event.preventDefault()
          if (!missing) void save()
        }}
      >
        {may.write ? (
          <div className="build-bar">
            <span className="soft" role="status">
              {words[missing ?? (isDirty ? 'unsaved' : 'allSaved')]}
            </span>
            {isDirty && <Button onClick={control.discard}>{words.discard}</Button>}
            <Button
              type="primary"
              htmlType="submit"
              disabled={!isDirty || missing !== undefined}
              loading={isSaving}
            >
              {words.save}
            </Button>
          </div>
        ) : (
          <Alert type="info" showIcon title={words.readOnly} />
        )}
        {error !== undefined && <Failure error={error} />}
        {warnings.length > 0 && <Warnings title={words.warnings} warnings={warnings} />}
        <IdentityFields {...part} />
        <PersonaFields {...part} />
        <OpeningFields {...part} />
        <KnowledgeFields {...part} />
        <ToolFields {...part} />
        <MemoryFields {...part} />
      </form>
      <Preview agent={agent} isDirty={isDirty} canTalk={may.write} />
    </div>
  )
}

/** Ctrl+S and ⌘S save, as in the workflow editor. */
function useSaveKey(save: () => void): void {
  const press = useEffectEvent((event: KeyboardEvent): void => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return
    event.preventDefault()
    save()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => press(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}

function Warnings({ title, warnings }: { title: string; warnings: readonly Warning[] }) {
  const language = useLanguage()
  return (
    <Alert
      type="warning"
      showIcon
      title={title}
      description={
        <ul className="warning-list">
          {warnings.map(({ path, message }) => (
            <li key={path + message}>{explainField(language, path, message)}</li>
          ))}
        </ul>
      }
    />
  )
}

const useSaveWords = defineWords({ saved: 'Saved' }, { saved: '已保存' })

/** Saves a draft; the server's warnings are shown, and do not prevent saving. */
function useSave(agent: AgentRecord, { draft, settle }: DraftControl) {
  const words = useSaveWords()
  const queries = useQueryClient()
  const { message } = App.useApp()
  const [warnings, setWarnings] = useState<readonly Warning[]>([])
  const [error, setError] = useState<unknown>()
  const [isSaving, setIsSaving] = useState(false)

  const save = async (): Promise<void> => {
    setIsSaving(true)
    setError(undefined)
    try {
      const body = { id: agent.id, ...changeOf(agent, draft) }
      const { warnings: found, ...saved } = await call('POST /api/v1/agent/update', { body })
      queries.setQueryData(agentKey(agent.id), saved)
      settle(draft)
      setWarnings(found)
      message.success(words.saved)
      void queries.invalidateQueries({ queryKey: ['agents'] })
    } catch (problem) {
      setError(problem)
    } finally {
      setIsSaving(false)
    }
  }
  return { save, isSaving, error, warnings }
}

const usePreviewWords = defineWords(
  {
    title: 'Preview',
    again: 'Restart',
    dirty: 'The preview uses the last saved settings. Save to try your changes.',
  },
  { title: '预览', again: '重新开始', dirty: '预览使用上次保存的设置，保存后即可试用你的修改。' },
)

interface PreviewProps {
  agent: AgentRecord
  isDirty: boolean
  canTalk: boolean
}

/** A chat beside the form; its conversation is a normal console conversation. */
function Preview({ agent, isDirty, canTalk }: PreviewProps) {
  const words = usePreviewWords()
  const [conversationId, setConversationId] = useState<string>()
  if (!canTalk) return null
  return (
    <section className="preview" aria-label={words.title}>
      <div className="preview-head">
        <h2>{words.title}</h2>
        <Button
          type="text"
          size="small"
          icon={<ReloadOutlined aria-hidden />}
          disabled={conversationId === undefined}
          onClick={() => setConversationId(undefined)}
        >
          {words.again}
        </Button>
      </div>
      {isDirty && <p className="soft small preview-note">{words.dirty}</p>}
      <Chat
        agent={chatAgentOf(agent)}
        conversationId={conversationId}
        canTalk
        onConversation={setConversationId}
      />
    </section>
  )
}

/** Unsaved input survives visiting another page. */
const kept = new Map<string, Editing>()
onSignedOut(() => kept.clear())

interface DraftControl {
  draft: AgentDraft
  isDirty: boolean
  edit: (change: Partial<AgentDraft>) => void
  /** Resets to the saved state. */
  discard: () => void
  /** Called when this draft was saved; later input is kept. */
  settle: (saved: AgentDraft) => void
}

function useDraft(agent: AgentRecord): DraftControl {
  const [edited, setEdited] = useState(() => kept.get(agent.id))
  const draft = edited ? rebased(edited, agent) : draftOf(agent)
  const isDirty = isChanged(agent, draft)
  useEffect(() => {
    if (edited && isDirty) kept.set(agent.id, edited)
    else kept.delete(agent.id)
  }, [agent.id, edited, isDirty])
  useEffect(() => {
    if (!isDirty) return
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isDirty])
  return {
    draft,
    isDirty,
    edit: change =>
      setEdited(before => ({
        base: agent,
        draft: { ...(before ? rebased(before, agent) : draftOf(agent)), ...change },
      })),
    discard: () => setEdited(undefined),
    settle: saved =>
      setEdited(before => (before && isSame(rebased(before, agent), saved) ? undefined : before)),
  }
}
