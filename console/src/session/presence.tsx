import { useEffect, useState } from 'react'
import { call } from '../api/call.ts'
import type { CallData } from '../api/operations.ts'
import { defineWords } from '../ui/words.ts'
import './presence.css'

const useWords = defineWords(
  {
    also: (names: string) => `Also open by ${names}`,
    self: 'you, in another window',
    more: (count: number) => `${count} more`,
    separator: ', ',
  },
  {
    also: (names: string) => `同时打开者：${names}`,
    self: '你的另一个窗口',
    more: (count: number) => `另外 ${count} 人`,
    separator: '、',
  },
)

type Other = CallData<'POST /api/v1/presence/report'>['others'][number]

const reportMilliseconds = 20_000
const maxNames = 3

/** Identifies this window, not this browser. 64 random bits are enough to tell windows apart. */
const windowId = `window_${[...crypto.getRandomValues(new Uint32Array(2))].map(part => part.toString(36)).join('')}`

interface PresenceProps {
  kind: 'workflow' | 'agent'
  id: string
}

/** Other users who have this open, while this window is visible. Only a hint: without a response it is empty. */
function useOthers({ kind, id }: PresenceProps): readonly Other[] {
  const [others, setOthers] = useState<readonly Other[]>([])
  useEffect(() => {
    let isOver = false
    const report = (leaving: boolean): void => {
      call('POST /api/v1/presence/report', { body: { kind, id, window: windowId, leaving } }).then(
        answer => isOver || leaving || setOthers(answer.others),
        () => undefined,
      )
    }
    const look = (): void => report(document.visibilityState === 'hidden')
    look()
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') report(false)
    }, reportMilliseconds)
    document.addEventListener('visibilitychange', look)
    return () => {
      isOver = true
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
      setOthers([])
      report(true)
    }
  }, [kind, id])
  return others
}

/** "Also open by Ada": two users who edit the same object should know of each other. */
export function Presence(props: PresenceProps) {
  const words = useWords()
  const others = useOthers(props)
  const names = others.map(({ name, same_token }) => (same_token ? words.self : name))
  const shown = names.length > maxNames + 1 ? names.slice(0, maxNames) : names
  const rest = names.length - shown.length
  const text = words.also([...shown, ...(rest > 0 ? [words.more(rest)] : [])].join(words.separator))
  return (
    <span role="status" className="presence">
      {names.length > 0 && (
        <span className="presence-names" title={words.also(names.join(words.separator))}>
          <i aria-hidden="true" />
          {text}
        </span>
      )}
    </span>
  )
}
