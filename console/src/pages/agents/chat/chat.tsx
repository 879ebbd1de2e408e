import { useQuery } from '@tanstack/react-query'
import type { TextAreaRef } from 'antd/es/input/TextArea'
import {
  type DragEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { upload } from '../../../api/upload.ts'
import { useMay } from '../../../session/use-session.ts'
import { Failure, useFailureToast, useFailureWords } from '../../../ui/failure.tsx'
import { offerFocus } from '../../../ui/offer-focus.ts'
import { pathTo } from '../../../ui/router.ts'
import { openCitation } from '../../../ui/source/open-source.ts'
import { useRetryWhenReachable } from '../../../ui/use-retry-when-reachable.ts'
import { useVariableForm, type VariableForm } from '../../../ui/variables/use-variable-form.ts'
import { VariableFields } from '../../../ui/variables/variable-fields.tsx'
import { defineWords } from '../../../ui/words.ts'
import { AnnotationDialog, type AnnotationDraft } from '../annotations/annotation-dialog.tsx'
import type { ChatAgent } from './chat-agent.ts'
import { chatApi, type InputVariables, readVariables } from './chat-api.ts'
import { ChatLog, type ChatLogHandle } from './chat-log.tsx'
import { ChatSession } from './chat-session.ts'
import { type ChatState, isLive, type Outgoing } from './chat-state.ts'
import { type ChatTurn, needsInputs, type Rating } from './chat-turns.ts'
import { Composer, maxFiles } from './composer.tsx'
import { throttled } from './throttled.ts'
import { useAttachments } from './use-attachments.ts'

const useWords = defineWords(
  {
    drop: 'Drop files here to attach them',
    incomplete: 'Complete the form before you send a message.',
    readOnly: 'View only: you cannot send messages in this conversation.',
  },
  {
    drop: '拖到这里即可添加文件',
    incomplete: '发送消息之前，请先完成表单。',
    readOnly: '仅可查看，不能在这个对话中发送消息。',
  },
)

interface ChatProps {
  agent: ChatAgent
  conversationId: string | undefined
  canTalk: boolean
  /** Called when a first message has created this conversation. */
  onConversation?: (conversationId: string) => void
  /** Called when an answer has ended, so that lists of conversations are out of date. */
  onAnswered?: () => void
  autoFocus?: boolean
}

/** A conversation with an agent: full page, preview, or read only. */
export function Chat({
  agent,
  conversationId,
  canTalk,
  onConversation,
  onAnswered,
  autoFocus = false,
}: ChatProps) {
  const words = useWords()
  const showFailure = useFailureToast()
  const { session, state } = useChat(agent, conversationId, canTalk)
  const wordsOf = useFailureWords()
  const files = useAttachments({ upload, maxFiles, problemOf: error => wordsOf(error).title })
  const input = useRef<TextAreaRef>(null)
  const log = useRef<ChatLogHandle>(null)
  const isAnswering = isLive(state.turns.at(-1))
  const form = useAgentVariables(agent.id, canTalk)
  const asksInputs = form.variables.length > 0 && !state.isLoading && needsInputs(state.turns)
  const inputs = asksInputs ? form.inputs : undefined
  const isComplete = !asksInputs || form.isComplete
  useEndOfAnswer(isAnswering, onAnswered)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation begins at its end, ready to be typed in
  useEffect(() => {
    if (autoFocus) offerFocus(input.current?.resizableTextArea?.textArea)
    log.current?.goToEnd()
  }, [conversationId, autoFocus])

  const carry = useCallback(
    async (sending: Promise<string | undefined>): Promise<void> => {
      log.current?.goToEnd()
      input.current?.focus()
      const id = await sending.catch(showFailure)
      if (id === undefined) onAnswered?.()
      else if (id !== conversationId) onConversation?.(id)
    },
    [conversationId, onConversation, onAnswered, showFailure],
  )
  const say = useCallback(
    (content: string) => void carry(session.send({ type: 'text', content, fileIds: [], inputs })),
    [carry, session, inputs],
  )
  const again = useCallback((turn: ChatTurn) => void carry(session.sendAgain(turn)), [carry, session])
  const replace = useCallback(
    (chatId: string, outgoing: Outgoing) => void carry(session.replace(chatId, outgoing)),
    [carry, session],
  )
  const readVersion = useCallback(
    (chatId: string, version: number) => session.version(chatId, version),
    [session],
  )
  const may = useMay()
  const [annotation, setAnnotation] = useState<AnnotationDraft>()
  const actions = useMemo(() => {
    const rate = (id: string, rating: Rating | null, comment?: string): Promise<void> =>
      session.rate(id, rating, comment)
    const annotate = (question: string, answer: string): void => setAnnotation({ question, answer })
    return {
      rate: canTalk ? rate : undefined,
      cite: openCitation,
      annotate: may.write ? annotate : undefined,
      annotationHref: may.write ? (id: string) => pathTo('agents', agent.id, 'annotations', id) : undefined,
    }
  }, [session, canTalk, may.write, agent.id])

  if (state.loadError !== undefined)
    return (
      <LoadFailure
        error={state.loadError}
        onRetry={() => session.open(conversationId, { canTalk })}
        input={input}
      />
    )
  return (
    <DropZone isOn={canTalk} label={words.drop} onFiles={files.add}>
      <ChatLog
        ref={log}
        agent={agent}
        state={state}
        onOlder={() => session.loadOlder().catch(showFailure)}
        onSend={canTalk && isComplete ? say : undefined}
        onAgain={canTalk ? again : undefined}
        onReplace={canTalk && !isAnswering ? replace : undefined}
        readVersion={readVersion}
        actions={actions}
      >
        {asksInputs && (
          <div className="chat-inputs">
            <VariableFields form={form} />
            {!form.isComplete && <p className="soft small">{words.incomplete}</p>}
          </div>
        )}
      </ChatLog>
      {canTalk ? (
        <Composer
          agentId={agent.id}
          agentName={agent.name}
          lastTurnId={state.turns.at(-1)?.chatId}
          input={input}
          files={files}
          isAnswering={isAnswering}
          isReady={!state.isLoading && isComplete}
          onSend={outgoing => carry(session.send({ ...outgoing, inputs }))}
          onStop={() => session.stop().catch(showFailure)}
        />
      ) : (
        <p className="soft small read-only">{words.readOnly}</p>
      )}
      {annotation && (
        <AnnotationDialog agentId={agent.id} draft={annotation} onClose={() => setAnnotation(undefined)} />
      )}
    </DropZone>
  )
}

interface LoadFailureProps {
  error: unknown
  onRetry: () => void
  /** The text field of the composer, which is shown again when the conversation is loaded again. */
  input: RefObject<TextAreaRef | null>
}

/** A conversation that could not be loaded. */
function LoadFailure({ error, onRetry, input }: LoadFailureProps) {
  const view = useRef<HTMLDivElement>(null)
  useRetryWhenReachable(error, onRetry)
  useEffect(() => {
    // What had the focus is removed with the composer or with this view.
    const isFocusLost = (): boolean => document.activeElement === document.body
    if (isFocusLost()) view.current?.querySelector('button')?.focus()
    return () => {
      if (isFocusLost()) input.current?.focus()
    }
  }, [input])
  return (
    <div className="chat-failure" ref={view}>
      <Failure error={error} onRetry={onRetry} />
    </div>
  )
}

const noVariables: InputVariables = []

/** The form for the input variables of the agent's workflow. */
function useAgentVariables(agentId: string, canTalk: boolean): VariableForm {
  const { data = noVariables } = useQuery({
    queryKey: ['agents', agentId, 'variables'],
    queryFn: ({ signal }) => readVariables(agentId, signal),
    enabled: canTalk,
  })
  return useVariableForm(data, (file, signal) => upload(file, { signal }))
}

/** Notifies when an answer has ended. */
function useEndOfAnswer(isAnswering: boolean, onEnd: (() => void) | undefined): void {
  const was = useRef(false)
  useEffect(() => {
    if (was.current && !isAnswering) onEnd?.()
    was.current = isAnswering
  }, [isAnswering, onEnd])
}

interface DropZoneProps {
  isOn: boolean
  label: string
  onFiles: (files: Iterable<File>) => void
  children: ReactNode
}

const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files')

/** A chat that accepts dropped files. Keyboard users attach them with a button. */
function DropZone({ isOn, label, onFiles, children }: DropZoneProps) {
  const [isOver, setIsOver] = useState(false)
  // Moving from one child to another fires leave and enter.
  const depth = useRef(0)
  const move = (event: DragEvent, step: number): void => {
    if (!isOn || !hasFiles(event)) return
    event.preventDefault()
    depth.current += step
    setIsOver(depth.current > 0)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button to attach files does the same
    <div
      className="chat"
      onDragEnter={event => move(event, 1)}
      onDragLeave={event => move(event, -1)}
      onDragOver={event => move(event, 0)}
      onDrop={event => {
        if (!isOn || !hasFiles(event)) return
        event.preventDefault()
        depth.current = 0
        setIsOver(false)
        onFiles(event.dataTransfer.files)
      }}
    >
      {children}
      {isOver && <div className="drop-cover">{label}</div>}
    </div>
  )
}

/** The state and actions of a chat with an agent. */
function useChat(
  { id: agentId, suggests }: ChatAgent,
  conversationId: string | undefined,
  canTalk: boolean,
): { session: ChatSession; state: ChatState } {
  const [{ session, subscribe }] = useState(() => {
    const made = new ChatSession(chatApi(agentId, suggests))
    return { session: made, subscribe: throttled(made) }
  })
  const state = useSyncExternalStore(subscribe, session.read)
  useEffect(() => {
    void session.open(conversationId, { canTalk })
  }, [session, conversationId, canTalk])
  useEffect(() => () => session.close(), [session])
  return { session, state }
}
