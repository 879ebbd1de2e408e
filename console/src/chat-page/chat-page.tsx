import { useCallback, useEffect, useMemo, useState } from 'react'
import { useIsDark, useLanguage } from '../ui/preferences.ts'
import { useRetryWhenReachable } from '../ui/use-retry-when-reachable.ts'
import { defineWords } from '../ui/words.ts'
import { Chat, notifyWebsite } from './chat.tsx'
import { failureText, useFailureWords } from './failure-words.ts'
import { isMissing, type Profile, type VisitorApi } from './visitor-api.ts'

const useWords = defineWords(
  {
    missing: 'This chat is not available',
    why: 'The link may be wrong, or the agent is no longer public.',
    again: 'Try again',
    loading: 'Loading…',
  },
  {
    missing: '无法访问此对话',
    why: '链接可能有误，或该智能体已不再公开。',
    again: '重试',
    loading: '加载中…',
  },
)

interface ChatPageProps {
  api: VisitorApi
  isEmbedded: boolean
}

/** The page of a public agent for its visitors. */
export function ChatPage({ api, isEmbedded }: ChatPageProps) {
  const words = useWords()
  const failures = useFailureWords()
  const [profile, setProfile] = useState<Profile>()
  const [failure, setFailure] = useState<unknown>()
  const load = useCallback(() => void api.profile().then(setProfile, setFailure), [api])
  useEffect(load, [load])
  useRetryWhenReachable(failure, load)
  const tryAgain = (): void => {
    setFailure(undefined)
    load()
  }
  usePageAttributes(profile?.name)
  useCloseOnEscape(isEmbedded)
  const shown = useMemo(
    () => profile && <Chat key={profile.agent_id} {...{ api, profile, isEmbedded }} />,
    [api, profile, isEmbedded],
  )
  if (shown) return shown
  if (failure === undefined)
    return (
      <main className="notice" role="status">
        {words.loading}
      </main>
    )
  return (
    <main className="notice">
      <h1>{isMissing(failure) ? words.missing : failureText(failures, failure)}</h1>
      {isMissing(failure) ? (
        <p className="soft">{words.why}</p>
      ) : (
        <button type="button" className="primary" onClick={tryAgain}>
          {words.again}
        </button>
      )}
    </main>
  )
}

function usePageAttributes(name: string | undefined): void {
  const language = useLanguage()
  const isDark = useIsDark()
  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-Hans' : 'en'
    document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light'
    if (name !== undefined) document.title = name
  }, [language, isDark, name])
}

/** Keys that are pressed in the frame do not reach the website. */
function useCloseOnEscape(isEmbedded: boolean): void {
  useEffect(() => {
    if (!isEmbedded) return
    const close = (event: KeyboardEvent): void => {
      // Escape first ends what it is pressed in, such as the editing of a message.
      if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('dialog[open]')) return
      notifyWebsite('close')
    }
    window.addEventListener('keydown', close)
    return () => window.removeEventListener('keydown', close)
  }, [isEmbedded])
}
