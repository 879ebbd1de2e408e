import { Input } from 'antd'
import { useDraft } from '../use-draft.ts'

interface CommittedInputProps {
  id: string
  label: string
  value: string
  /** Why the text is invalid, or undefined. */
  refuse(text: string): string | undefined
  onCommit(text: string): void
  disabled?: boolean
  describedBy?: string | undefined
}

/**
 * A name that other items refer to and follow when it changes, so it is committed as a whole: on Enter or
 * blur. An invalid name stays with the reason; Escape restores the old one.
 */
export function CommittedInput(props: CommittedInputProps) {
  const { id, label, value, refuse, onCommit, disabled = false, describedBy } = props
  const [text, keep] = useDraft<string>(value, () => value)
  const problem = text === value ? undefined : refuse(text)
  const commit = (): void => {
    if (text === value || problem !== undefined) return
    keep(text, text)
    onCommit(text)
  }
  return (
    <>
      <Input
        id={id}
        className="code"
        aria-label={label}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? describedBy : `${id}-refused`}
        status={problem === undefined ? '' : 'error'}
        value={text}
        disabled={disabled}
        autoComplete="off"
        spellCheck={false}
        onChange={event => keep(event.target.value, value)}
        onBlur={commit}
        onPressEnter={commit}
        onKeyDown={event => {
          if (event.key === 'Escape') keep(value, value)
        }}
      />
      {problem !== undefined && (
        <div className="problems" role="status" id={`${id}-refused`}>
          {problem}
        </div>
      )}
    </>
  )
}
