import { type ReactNode, useEffect, useState } from 'react'
import { defineWords } from '../../../ui/words.ts'
import type { ChatTurn } from './chat-turns.ts'

const useWords = defineWords(
  {
    versions: 'Versions',
    before: 'Earlier version',
    after: 'Later version',
    note: 'An earlier version. The conversation continued without it.',
    failed: 'This version could not be loaded.',
  },
  {
    versions: '版本',
    before: '上一个版本',
    after: '下一个版本',
    note: '较早的版本，对话没有沿着它继续。',
    failed: '无法加载这个版本。',
  },
)

interface TurnVersionsProps {
  /** How many turns have been at this place. */
  version: number
  read: (version: number) => Promise<readonly ChatTurn[]>
  /** Shows a turn that cannot be changed. */
  show: (turn: ChatTurn) => ReactNode
  /** The current version. */
  children: ReactNode
}

/** A turn that replaced others, with navigation to the earlier versions. */
export function TurnVersions({ version, read, show, children }: TurnVersionsProps) {
  const words = useWords()
  const [chosen, setChosen] = useState<number>()
  const [earlier, setEarlier] = useState<readonly ChatTurn[] | 'failed'>()
  useEffect(() => {
    if (chosen === undefined) return
    let isLeft = false
    read(chosen).then(
      turns => isLeft || setEarlier(turns),
      () => isLeft || setEarlier('failed'),
    )
    return () => {
      isLeft = true
    }
  }, [chosen, read])
  const at = chosen ?? version
  const go = (to: number): void => {
    setEarlier(undefined)
    setChosen(to === version ? undefined : to)
  }
  return (
    <>
      {chosen === undefined ? (
        children
      ) : (
        <div className="earlier-version">
          <p className="soft small">{earlier === 'failed' ? words.failed : words.note}</p>
          {Array.isArray(earlier) && earlier.map(show)}
        </div>
      )}
      <fieldset className="turn-versions" aria-label={words.versions}>
        <button type="button" aria-label={words.before} disabled={at === 1} onClick={() => go(at - 1)}>
          ‹
        </button>
        <span aria-live="polite">
          {at} / {version}
        </span>
        <button type="button" aria-label={words.after} disabled={at === version} onClick={() => go(at + 1)}>
          ›
        </button>
      </fieldset>
    </>
  )
}
