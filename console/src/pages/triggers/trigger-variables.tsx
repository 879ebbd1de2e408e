import { useQuery } from '@tanstack/react-query'
import { AutoComplete, Form } from 'antd'
import { useId } from 'react'
import { call } from '../../api/call.ts'
import type { InputVariable } from '../../ui/variables/variable-entry.ts'
import { defineWords } from '../../ui/words.ts'
import type { Trigger } from './use-triggers.ts'

const useWords = defineWords(
  {
    schedule: 'A value, or {{#trigger.time#}}',
    webhook: (name: string) => `A value, or a reference such as {{#trigger.body.${name}#}}`,
    required: 'required',
  },
  {
    schedule: '填写值，或 {{#trigger.time#}}',
    webhook: (name: string) => `填写值，或引用，例如 {{#trigger.body.${name}#}}`,
    required: '必填',
  },
)

interface TriggerVariablesProps {
  workflowId: string | undefined
  kind: Trigger['kind']
  /** The inputs of the trigger; undefined while their JSON is invalid. */
  inputs: Readonly<Record<string, unknown>> | undefined
  onInputs(inputs: Record<string, unknown>): void
}

/** A field for each input variable of the workflow, which reads and writes the inputs of the trigger. */
export function TriggerVariables({ workflowId, kind, inputs, onInputs }: TriggerVariablesProps) {
  const { data } = useQuery({
    queryKey: ['workflow variables', workflowId],
    queryFn: ({ signal }) => call('GET /api/v1/workflow/variables', { query: { id: workflowId! }, signal }),
    enabled: workflowId !== undefined,
    // A workflow that cannot run has none; saving the trigger does not depend on it.
    retry: false,
  })
  const change = (name: string, text: string): void => {
    const { [name]: _, ...rest } = inputs ?? {}
    onInputs(text === '' ? rest : { ...rest, [name]: text })
  }
  return (data?.variables ?? []).map(variable => (
    <VariableItem
      key={variable.name}
      {...{ variable, kind }}
      value={inputs?.[variable.name]}
      isDisabled={inputs === undefined}
      onChange={text => change(variable.name, text)}
    />
  ))
}

interface VariableItemProps {
  variable: InputVariable
  kind: Trigger['kind']
  value: unknown
  isDisabled: boolean
  onChange(text: string): void
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)

function VariableItem({ variable, kind, value, isDisabled, onChange }: VariableItemProps) {
  const words = useWords()
  const id = useId()
  const { name, label, type, description, required, options } = variable
  const offered = type === 'checkbox' ? ['true', 'false'] : options
  const hint = kind === 'schedule' ? words.schedule : words.webhook(name)
  return (
    <Form.Item
      label={required ? `${label} (${words.required})` : label}
      htmlFor={id}
      extra={description || hint}
    >
      <AutoComplete
        id={id}
        value={textOf(value)}
        placeholder={variable.default === null ? undefined : textOf(variable.default)}
        options={offered.map(option => ({ value: option }))}
        disabled={isDisabled}
        onChange={(text: string | undefined) => onChange(text ?? '')}
      />
    </Form.Item>
  )
}
