import {
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { ChatSession } from '../pages/agents/chat/chat-session.ts'
import { answersQuestion, isLive, type Outgoing } from '../pages/agents/chat/chat-state.ts'
import { messagesOf, needsInputs } from '../pages/agents/chat/chat-turns.ts'
import { throttled } from '../pages/agents/chat/throttled.ts'
import { useStickToEnd } from '../pages/agents/chat/use-stick-to-end.ts'
import { AgentMark } from '../ui/agent-mark.tsx'
import type { Citation } from '../ui/markdown/citations.ts'
import { setLanguage, setTheme, useIsDark, useLanguage } from '../ui/preferences.ts'
import { readStored, store } from '../ui/storage.ts'
import { useRetryWhenReachable } from '../ui/use-retry-when-reachable.ts'
import { useVariableForm } from '../ui/variables/use-variable-form.ts'
import { VariableFields } from '../ui/variables/variable-fields.tsx'
import { defineWords } from '../ui/words.ts'
import { Composer, hasKeyboard } from './composer.tsx'
import { failureText, useFailureWords } from './failure-words.ts'
import { History } from './history.tsx'
import { IconButton, icons } from './icons.tsx'
import { Markdown } from './markdown.tsx'
import { FilesOf } from './message-files.tsx'
import { Turn, type TurnActions } from './turn.tsx'
import { isMissing, type Profile, type VisitorApi } from './visitor-api.ts'

const useWords = defineWords(
  {
    messages: (name: string) => `Conversation with ${name}`,
    begin: 'Send a message to start.',
    incomplete: 'Complete the form before you send a message.',
    questions: 'Suggested questions',
    again: 'Try again',
    older: 'Earlier messages',
    toEnd: 'Jump to the latest message',
    history: 'Your conversations',
    fresh: 'New conversation',
    dark: 'Dark theme',
    light: 'Light theme',
    language: '中 (切换到中文)',
    close: 'Close',
  },
  {
    messages: (name: string) => `与 ${name} 的对话`,
    begin: '发送消息开始对话。',
    incomplete: '发送消息之前，请先完成表单。',
    questions: '推荐问题',
    again: '重试',
    older: '更早的消息',
    toEnd: '跳到最新消息',
    history: '历史对话',
    fresh: '新对话',
    dark: '深色主题',
    light: '浅色主题',
    language: 'EN (Switch to English)',
    close: '关闭',
  },
)

interface ChatProps {
  api: VisitorApi
  profile: Profile
  isEmbedded: boolean
}

const lastKey = (agentId: string): string => `banyan.conversation.${agentId}`

/** The shown conversation, initially the last one of this browser. */
function useConversation(api: VisitorApi) {
  const [{ session, subscribe }] = useState(() => {
    const made = new ChatSession(api.chat)
    return { session: made, subscribe: throttled(made) }
  })
  const state = useSyncExternalStore(subscribe, session.read)
  useEffect(() => {
    void session.open(readStored(lastKey(api.agentId)) || undefined)
    return () => session.close()
  }, [session, api])
  const { conversationId } = state
  useEffect(() => {
    if (conversationId !== undefined) store(lastKey(api.agentId), conversationId)
  }, [api, conversationId])
  const open = useCallback(
    (id: string | undefined): void => {
      store(lastKey(api.agentId), id ?? '')
      void session.open(id)
    },
    [session, api],
  )
  return { session, state, open }
}

/** The conversation that files are uploaded to. Several files that are added at once share a new one. */
function useUploadConversation(api: VisitorApi, session: ChatSession): () => Promise<string> {
  const created = useRef<Promise<string>>(undefined)
  return async () => {
    const { conversationId } = session.read()
    if (conversationId !== undefined) return conversationId
    created.current ??= api
      .create()
      .then(id => {
        session.begin(id)
        return id
      })
      .finally(() => {
        created.current = undefined
      })
    return created.current
  }
}

/** The conversation of a visitor with the agent. */
export function Chat({ api, profile, isEmbedded }: ChatProps) {
  const { variables } = profile
  const words = useWords()
  const failures = useFailureWords()
  const { session, state, open } = useConversation(api)
  const [isHistoryOpen, setIsHistoryOpen] = useState(false)
  const [problem, setProblem] = useState('')
  const showFailure = useCallback((error: unknown) => setProblem(failureText(failures, error)), [failures])
  const box = useRef<HTMLDivElement>(null)
  const { turns, hasOlder, isLoading, loadError, conversationId } = state
  const loadAgain = (): void => void session.open(conversationId)
  useRetryWhenReachable(loadError, loadAgain)
  const onTop = useCallback(() => void session.loadOlder().catch(showFailure), [session, showFailure])
  const firstId = turns[0] && messagesOf(turns[0])[0]?.id
  const { onScroll, isAtEnd, goToEnd } = useStickToEnd(box, turns, firstId, onTop)
  const isAnswering = isLive(turns.at(-1))

  const conversation = useUploadConversation(api, session)
  const upload = async (file: File, signal: AbortSignal) => api.upload(await conversation(), file, signal)
  const form = useVariableForm(variables, upload)
  const asksInputs = variables.length > 0 && !isLoading && needsInputs(turns)
  const inputs = asksInputs ? form.inputs : undefined
  const isComplete = !asksInputs || form.isComplete

  const send = useCallback(
    (outgoing: Outgoing): void => {
      setProblem('')
      goToEnd()
      session.send({ ...outgoing, inputs }).catch(showFailure)
    },
    [session, goToEnd, showFailure, inputs],
  )
  const input = useRef<HTMLTextAreaElement>(null)
  const onReplaced = useCallback(
    () => ((hasKeyboard() && input.current) || box.current)?.focus({ preventScroll: true }),
    [],
  )
  const actions = useTurnActions(api, session, { send, showFailure, conversationId, box, onReplaced })
  const draft = useRef('')
  const [switches, setSwitches] = useState(0)
  const show = (id: string | undefined): void => {
    if (id === undefined || id !== conversationId) {
      // Files in the form belong to the conversation that was shown before.
      form.reset()
      setSwitches(switches + 1)
    }
    open(id)
  }
  const files = useMemo(() => ({ api, conversationId }), [api, conversationId])

  return (
    <div className="chat-page">
      <Header
        {...{ profile, isEmbedded }}
        onHistory={() => setIsHistoryOpen(true)}
        onNew={() => show(undefined)}
      />
      <FilesOf value={files}>
        <main
          ref={box}
          className="chat-log"
          role="log"
          aria-live="polite"
          aria-label={words.messages(profile.name)}
          aria-busy={isAnswering}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard
          tabIndex={0}
          onScroll={onScroll}
        >
          <div className="chat-inner">
            {hasOlder && (
              <button type="button" onClick={onTop}>
                {words.older}
              </button>
            )}
            {!hasOlder && !isLoading && loadError === undefined && (
              <Greeting
                profile={profile}
                onAsk={turns.length === 0 && isComplete ? actions.send : undefined}
              />
            )}
            {turns.map((turn, at) => (
              <Turn
                key={turn.chatId}
                {...{ turn, actions }}
                agentName={profile.name}
                isLast={at === turns.length - 1}
                mayReplace={!isAnswering && !answersQuestion(turns, at)}
              />
            ))}
            {asksInputs && (
              <div className="chat-inputs">
                <VariableFields form={form} />
                {!form.isComplete && <p className="soft small">{words.incomplete}</p>}
              </div>
            )}
          </div>
        </main>
      </FilesOf>
      {!isAtEnd && (
        <div className="to-end">
          <IconButton icon={icons.down} label={words.toEnd} onClick={goToEnd} />
        </div>
      )}
      {(problem !== '' || loadError !== undefined) && (
        <p className="chat-failed" role="alert">
          <span>{problem || failureText(failures, loadError)}</span>
          {loadError !== undefined && !isMissing(loadError) && (
            <button type="button" onClick={loadAgain}>
              {words.again}
            </button>
          )}
        </p>
      )}
      <Composer
        key={switches}
        {...{ input, profile, draft, isAnswering, upload }}
        isReady={!isLoading && loadError === undefined && isComplete}
        onSend={send}
        onStop={() => void session.stop().catch(showFailure)}
        onFailure={showFailure}
      />
      {isHistoryOpen && (
        <History
          api={api}
          currentId={conversationId}
          onOpen={show}
          onRemoved={id => {
            if (id === conversationId) show(undefined)
          }}
          onClose={() => setIsHistoryOpen(false)}
        />
      )}
    </div>
  )
}

interface ActionParts {
  send: (outgoing: Outgoing) => void
  showFailure: (error: unknown) => void
  conversationId: string | undefined
  box: RefObject<HTMLElement | null>
  /** Moves the focus when the button that was pressed is removed with its turn. */
  onReplaced: () => void
}

function useTurnActions(
  api: VisitorApi,
  session: ChatSession,
  { send, showFailure, conversationId, box, onReplaced }: ActionParts,
): TurnActions {
  return useMemo(() => {
    const citations = new Map<string, Promise<readonly Citation[]>>()
    const read = async (chatId: string): Promise<readonly Citation[]> => {
      const turn = conversationId === undefined ? undefined : await api.turn(conversationId, chatId)
      const unknown = { knowledge_id: '', file_id: '', chunk_id: '' }
      return turn?.citations.map(citation => ({ ...unknown, ...citation })) ?? []
    }
    return {
      send: text => {
        // The suggestion that was chosen is removed with the focus.
        box.current?.focus({ preventScroll: true })
        send({ type: 'text', content: text, fileIds: [] })
      },
      sendAgain: turn => {
        onReplaced()
        session.sendAgain(turn).catch(showFailure)
      },
      replace: (chatId, outgoing) => {
        onReplaced()
        session.replace(chatId, outgoing).catch(showFailure)
      },
      rate: (messageId, rating, comment) => void session.rate(messageId, rating, comment).catch(showFailure),
      version: (chatId, version) => session.version(chatId, version),
      citationsOf: chatId => {
        const known = citations.get(chatId) ?? read(chatId)
        citations.set(chatId, known)
        known.catch(() => citations.delete(chatId))
        return known
      },
    }
  }, [api, session, send, showFailure, conversationId, box, onReplaced])
}

interface HeaderProps {
  profile: Profile
  isEmbedded: boolean
  onHistory: () => void
  onNew: () => void
}

/** The website decides what to do; the message contains nothing else. */
export const notifyWebsite = (what: 'ready' | 'close'): void =>
  window.parent.postMessage(`banyan:${what}`, '*')

function Header({ profile, isEmbedded, onHistory, onNew }: HeaderProps) {
  const words = useWords()
  const isDark = useIsDark()
  const language = useLanguage()
  useEffect(() => {
    // Until now, the website has shown its own button to close the frame.
    if (isEmbedded) notifyWebsite('ready')
  }, [isEmbedded])
  return (
    <header className="chat-header">
      <AgentMark {...profile} />
      <div className="chat-name">
        <h1>{profile.name}</h1>
        {profile.intro !== '' && <p className="soft small">{profile.intro}</p>}
      </div>
      <IconButton icon={icons.add} label={words.fresh} onClick={onNew} />
      <IconButton icon={icons.history} label={words.history} onClick={onHistory} />
      <IconButton
        icon={isDark ? icons.sun : icons.moon}
        label={isDark ? words.light : words.dark}
        onClick={() => setTheme(isDark ? 'light' : 'dark')}
      />
      <IconButton
        icon={<span aria-hidden="true">{language === 'zh' ? 'EN' : '中'}</span>}
        label={words.language}
        onClick={() => setLanguage(language === 'zh' ? 'en' : 'zh')}
      />
      {isEmbedded && (
        <IconButton icon={icons.close} label={words.close} onClick={() => notifyWebsite('close')} />
      )}
    </header>
  )
}

function Greeting({ profile, onAsk }: { profile: Profile; onAsk: ((text: string) => void) | undefined }) {
  const words = useWords()
  return (
    <div className="greeting">
      <AgentMark {...profile} size="large" />
      {profile.prologue.trim() === '' ? <p>{words.begin}</p> : <Markdown text={profile.prologue} />}
      {onAsk && profile.recommendation_question.length > 0 && (
        <fieldset className="options" aria-label={words.questions}>
          {profile.recommendation_question.map(question => (
            <button key={question} type="button" className="pill" onClick={() => onAsk(question)}>
              {question}
            </button>
          ))}
        </fieldset>
      )}
    </div>
  )
}
