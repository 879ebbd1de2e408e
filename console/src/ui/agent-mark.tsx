import type { Avatar } from '../../../src/contract/avatar.ts'
import './agent-mark.css'

export type AvatarColor = NonNullable<Avatar['color']>

/** The colours of agent-mark.css, in the order of the picker. */
export const avatarColors: readonly AvatarColor[] = [
  'green',
  'teal',
  'blue',
  'indigo',
  'violet',
  'pink',
  'red',
  'orange',
  'yellow',
  'gray',
]

/** Colours that are easy to distinguish. */
const derivedColors = ['green', 'blue', 'violet', 'pink', 'orange', 'yellow'] as const

/** The same name always has the same colour. */
function colorOf(name: string): AvatarColor {
  const sum = [...name].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 9973, 7)
  return derivedColors[sum % derivedColors.length]!
}

/** Splits a text into the characters that readers see: many emoji consist of several code points. */
export const charactersOf = (text: string): string[] =>
  [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment)

interface AgentMarkProps {
  name: string
  /** From the agent's settings, in which a client may have stored any value under this name. */
  avatar: Avatar | null | undefined
  size?: 'small' | 'large'
}

/** The avatar of an agent. By default the first character of its name, on a colour that depends on the name. */
export function AgentMark({ name, avatar, size }: AgentMarkProps) {
  const title = name.trim()
  const { emoji, color } = avatar ?? {}
  const chosen = typeof emoji === 'string' ? charactersOf(emoji)[0] : undefined
  const known = avatarColors.find(each => each === color)
  return (
    <span
      className={`agent-mark${size ? ` is-${size}` : ''}${chosen ? ' has-emoji' : ''}`}
      data-color={known ?? colorOf(title)}
      aria-hidden="true"
    >
      {chosen ?? charactersOf(title.slice(0, 40))[0]?.toUpperCase() ?? '·'}
    </span>
  )
}
