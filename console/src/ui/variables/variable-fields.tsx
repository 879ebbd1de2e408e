import { type ReactNode, useId, useRef } from 'react'
import { defineWords } from '../words.ts'
import type { VariableForm } from './use-variable-form.ts'
import { type InputVariable, isFileType, maxFilesOf, type Problem } from './variable-entry.ts'
import './variable-fields.css'

const useWords = defineWords(
  {
    values: 'Input variables',
    required: 'required',
    choose: 'Choose…',
    uploading: 'Uploading…',
    failed: 'The upload failed. Remove the file and try again.',
    number: 'Enter a number.',
    json: 'Enter valid JSON.',
    long: (max: number) => `At most ${max} characters.`,
    remove: (name: string) => `Remove ${name}`,
  },
  {
    values: '输入变量',
    required: '必填',
    choose: '请选择…',
    uploading: '正在上传…',
    failed: '上传失败，请移除后重新选择。',
    number: '请填写数字。',
    json: '请填写有效的 JSON。',
    long: (max: number) => `最多 ${max} 个字符。`,
    remove: (name: string) => `移除 ${name}`,
  },
)

/** The fields for input variables, with browser controls, so that the page for visitors can use them, too. */
export function VariableFields({ form }: { form: VariableForm }) {
  const words = useWords()
  if (form.variables.length === 0) return null
  return (
    <fieldset className="variable-fields" aria-label={words.values}>
      {form.variables.map(variable => (
        <VariableField key={variable.name} {...{ form, variable }} />
      ))}
    </fieldset>
  )
}

interface FieldProps {
  form: VariableForm
  variable: InputVariable
}

function VariableField({ form, variable }: FieldProps) {
  const words = useWords()
  const id = useId()
  const { label, description, required, type } = variable
  const problem = form.problems.get(variable.name)
  // A field that is still empty is not an error yet: its mark says that it is required.
  const shown = problem === 'required' ? undefined : problem
  const reason = shown === 'long' ? words.long(variable.max_length ?? 0) : shown && words[shown]
  const name: ReactNode = (
    <>
      {label}
      {required && (
        <span className="variable-required" title={words.required} aria-hidden="true">
          *
        </span>
      )}
    </>
  )
  return (
    <div className="variable-field">
      {type === 'checkbox' ? (
        <label className="variable-check" htmlFor={id}>
          <VariableControl {...{ form, variable, id, problem: shown }} />
          {name}
        </label>
      ) : (
        <>
          <label htmlFor={id}>{name}</label>
          <VariableControl {...{ form, variable, id, problem: shown }} />
        </>
      )}
      <span id={`${id}-about`} className={shown ? 'small variable-problem' : 'small soft'} role="status">
        {reason ?? description}
      </span>
    </div>
  )
}

interface ControlProps extends FieldProps {
  id: string
  problem: Exclude<Problem, 'required'> | undefined
}

function VariableControl({ form, variable, id, problem }: ControlProps) {
  const words = useWords()
  const { type, required, options } = variable
  const entry = form.entryOf(variable)
  const shared = {
    id,
    'aria-describedby': `${id}-about`,
    'aria-required': required,
    'aria-invalid': problem !== undefined,
  }
  const change = (event: { target: { value: string } }): void => form.change(variable, event.target.value)
  if (isFileType(variable)) return <FileControl {...{ form, variable, id }} />
  if (typeof entry === 'boolean')
    return (
      <input
        {...shared}
        type="checkbox"
        checked={entry}
        onChange={event => form.change(variable, event.target.checked)}
      />
    )
  const value = String(entry)
  if (type === 'select')
    return (
      <select {...shared} value={value} onChange={change}>
        <option value="">{words.choose}</option>
        {options.map(option => (
          <option key={option}>{option}</option>
        ))}
      </select>
    )
  if (type === 'paragraph' || type === 'json')
    return (
      <textarea
        {...shared}
        rows={3}
        value={value}
        onChange={change}
        {...(type === 'json' && { className: 'variable-json', spellCheck: false })}
      />
    )
  const mode = type === 'number' ? ({ inputMode: 'decimal' } as const) : {}
  return <input {...shared} {...mode} type="text" autoComplete="off" value={value} onChange={change} />
}

function FileControl({ form, variable, id }: FieldProps & { id: string }) {
  const words = useWords()
  const input = useRef<HTMLInputElement>(null)
  const entry = form.entryOf(variable)
  const files = typeof entry === 'object' ? entry : []
  const isMany = maxFilesOf(variable) > 1
  return (
    <>
      <input
        ref={input}
        id={id}
        type="file"
        multiple={isMany}
        className="variable-file"
        onChange={event => {
          form.addFiles(variable, [...(event.target.files ?? [])])
          // The same file may be chosen again.
          event.target.value = ''
        }}
      />
      {files.length > 0 && (
        <ul className="variable-files">
          {files.map(({ key, name, isFailed }) => (
            <li key={key} className={isFailed ? 'variable-problem' : undefined}>
              <span>{name}</span>
              <button
                type="button"
                aria-label={words.remove(name)}
                title={words.remove(name)}
                onClick={() => form.removeFile(variable, key)}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
