import { EditOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
import { type ReactNode, useId, useState } from 'react'
import { AgentMark, type AvatarColor, avatarColors, charactersOf } from '../../../ui/agent-mark.tsx'
import { defineWords } from '../../../ui/words.ts'
import { avatarOf } from './agent-draft.ts'
import type { PartProps } from './field.tsx'
import './avatar-fields.css'

const useWords = defineWords(
  {
    change: 'Change the avatar',
    emoji: 'Emoji',
    color: 'Colour',
    own: 'Another emoji or character',
    reset: 'Use the first letter of the name',
    green: 'Green',
    teal: 'Teal',
    blue: 'Blue',
    indigo: 'Indigo',
    violet: 'Violet',
    pink: 'Pink',
    red: 'Red',
    orange: 'Orange',
    yellow: 'Yellow',
    gray: 'Grey',
  },
  {
    change: '更换头像',
    emoji: '表情',
    color: '颜色',
    own: '其他表情或字符',
    reset: '使用名称的首字',
    green: '绿色',
    teal: '青色',
    blue: '蓝色',
    indigo: '靛蓝',
    violet: '紫色',
    pink: '粉色',
    red: '红色',
    orange: '橙色',
    yellow: '黄色',
    gray: '灰色',
  },
)

/** The server's limit of the code units of one character. */
const maxLength = 20

/** Characters for typical subjects of agents: work, service, learning, home, nature and play. */
const offered = charactersOf('🤖🌳💬🧭💡📚🎓✍️🔍📊📈🧮💼🗂️📅📝✉️📞🛎️🛒🏦⚖️🩺🏥🏠🔧⚙️🖥️💻🔒🌍✈️🍳🎨🎵🎮🐼🦉🦊🌟')

/** The avatar beside the name, and below them the choices while it is opened. */
export function AvatarFields({ draft, edit, isDisabled, children }: PartProps & { children: ReactNode }) {
  const words = useWords()
  const panel = useId()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <div className="avatar-and-name">
        <button
          type="button"
          className="avatar-button"
          disabled={isDisabled}
          aria-expanded={isOpen}
          aria-controls={panel}
          aria-label={words.change}
          title={words.change}
          onClick={() => setOpen(!isOpen)}
        >
          <AgentMark name={draft.name} avatar={avatarOf(draft)} size="large" />
          {!isDisabled && <EditOutlined />}
        </button>
        {children}
      </div>
      <div id={panel} className="avatar-panel" hidden={!isOpen}>
        {isOpen && <AvatarPicker {...{ draft, edit }} />}
      </div>
    </>
  )
}

function AvatarPicker({ draft, edit }: Pick<PartProps, 'draft' | 'edit'>) {
  const words = useWords()
  const { name, emoji, color } = draft
  const group = useId()
  return (
    <>
      <fieldset className="avatar-choices">
        <legend>{words.emoji}</legend>
        {offered.map(each => (
          <label key={each} className="avatar-emoji">
            <input
              type="radio"
              className="visually-hidden"
              name={`${group}-emoji`}
              checked={emoji === each}
              onChange={() => edit({ emoji: each })}
            />
            <span>{each}</span>
          </label>
        ))}
      </fieldset>
      <OwnEmoji emoji={emoji} onEmoji={next => edit({ emoji: next })} />
      <fieldset className="avatar-choices">
        <legend>{words.color}</legend>
        {avatarColors.map((each: AvatarColor) => (
          <label key={each} className="avatar-color" title={words[each]}>
            <input
              type="radio"
              className="visually-hidden"
              name={`${group}-color`}
              aria-label={words[each]}
              checked={color === each}
              onChange={() => edit({ color: each })}
            />
            <AgentMark name={name} avatar={avatarOf({ emoji, color: each })} />
          </label>
        ))}
      </fieldset>
      <Button
        className="avatar-reset"
        disabled={emoji === '' && color === ''}
        onClick={() => edit({ emoji: '', color: '' })}
      >
        {words.reset}
      </Button>
    </>
  )
}

/** One character: the last that was typed or pasted. Letters of an input method stay while it composes. */
function OwnEmoji({ emoji, onEmoji }: { emoji: string; onEmoji: (emoji: string) => void }) {
  const words = useWords()
  const id = useId()
  const [composed, setComposed] = useState<string>()
  const take = (text: string): void => {
    setComposed(undefined)
    const last = charactersOf(text.trim()).at(-1) ?? ''
    if (last.length <= maxLength) onEmoji(last)
  }
  return (
    <div className="avatar-own">
      <label htmlFor={id}>{words.own}</label>
      <Input
        id={id}
        value={composed ?? emoji}
        onFocus={event => event.target.select()}
        onChange={event =>
          (event.nativeEvent as InputEvent).isComposing
            ? setComposed(event.target.value)
            : take(event.target.value)
        }
        onCompositionEnd={event => take(event.currentTarget.value)}
      />
    </div>
  )
}
