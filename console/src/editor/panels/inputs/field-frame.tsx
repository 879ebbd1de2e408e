import { QuestionCircleOutlined } from '@ant-design/icons'
import { Tooltip } from 'antd'
import type { ReactNode } from 'react'
import { defineWords } from '../../../ui/words.ts'
import { inputId } from '../node-form.ts'
import { Problems } from './problems.tsx'

const useWords = defineWords({ required: 'required' }, { required: '必填' })

interface FieldFrameProps {
  pointer: string
  label: string
  help?: string | undefined
  required?: boolean
  /** A group of inputs, each of which shows its own problems. */
  isGroup?: boolean
  /** Shown to the right of the label. */
  aside?: ReactNode
  children: ReactNode
}

/** A field with its label, help and problems. */
export function FieldFrame({ pointer, label, help, required, isGroup, aside, children }: FieldFrameProps) {
  const id = inputId(pointer)
  const words = useWords()
  const marks = (
    <>
      {label}
      {required && (
        <span className="field-required" title={words.required}>
          *<span className="visually-hidden">{words.required}</span>
        </span>
      )}
    </>
  )
  const head = (
    <div className="field-head">
      {isGroup ? (
        <span className="field-label" id={`${id}-label`}>
          {marks}
        </span>
      ) : (
        // A browser passes clicks on only to inputs, not to an editor.
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field itself is reached by keyboard
        <label className="field-label" htmlFor={id} onClick={() => document.getElementById(id)?.focus()}>
          {marks}
        </label>
      )}
      {help !== undefined && (
        <Tooltip title={help} trigger={['hover', 'focus']}>
          <button type="button" className="field-help" aria-label={`${label}: ${help}`}>
            <QuestionCircleOutlined />
          </button>
        </Tooltip>
      )}
      {aside !== undefined && <span className="field-aside">{aside}</span>}
    </div>
  )
  const body = (
    <>
      {head}
      {children}
      <Problems pointer={pointer} reach={isGroup ? 'here' : 'below'} />
    </>
  )
  if (!isGroup)
    return (
      <div className="field" data-place={pointer}>
        {body}
      </div>
    )
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot have buttons in the line of its legend
    <div className="field" data-place={pointer} role="group" aria-labelledby={`${id}-label`}>
      {body}
    </div>
  )
}
