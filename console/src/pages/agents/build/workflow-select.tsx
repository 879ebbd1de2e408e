import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { useOptionsFailure } from '../../../ui/failure.tsx'
import type { invalidProps } from '../../../ui/tools/field-problem.tsx'
import { useDebounced } from '../../../ui/use-debounced.ts'

/** Workflows by part of the name or id, or by the exact id. */
function useWorkflows(keyword: string, isAsked = true) {
  return useQuery({
    queryKey: ['workflow-choices', keyword],
    queryFn: async ({ signal }) =>
      (await call('POST /api/v1/workflow/list', { body: { keyword, page_size: 50 }, signal })).items,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    enabled: isAsked,
  })
}

/** The name of a workflow; its id while loading, or if it does not exist. */
export function useWorkflowName(id: string | undefined): string {
  const { data } = useWorkflows(id ?? '', id !== undefined)
  return data?.find(workflow => workflow.id === id)?.name || (id ?? '')
}

interface WorkflowSelectProps {
  value: string
  onChange: (id: string) => void
  label: string
  placeholder?: string
  isDisabled?: boolean
  invalid?: ReturnType<typeof invalidProps>
}

/** Selects a workflow by name. */
export function WorkflowSelect({
  value,
  onChange,
  label,
  placeholder,
  isDisabled = false,
  invalid,
}: WorkflowSelectProps) {
  const [typed, setTyped] = useState('')
  const query = useWorkflows(useDebounced(typed.trim()))
  const name = useWorkflowName(value === '' ? undefined : value)
  const found = (query.data ?? []).map(workflow => ({
    value: workflow.id,
    label: workflow.name || workflow.id,
  }))
  const isFound = value === '' || found.some(option => option.value === value)
  return (
    <Select
      allowClear
      className="wide-field"
      aria-label={label}
      {...invalid}
      placeholder={placeholder}
      disabled={isDisabled}
      loading={query.isFetching}
      {...useOptionsFailure(query)}
      showSearch={{ filterOption: false, onSearch: setTyped }}
      options={isFound || typed !== '' ? found : [{ value, label: name }, ...found]}
      value={value === '' ? undefined : value}
      onChange={(next: string | undefined) => onChange(next ?? '')}
    />
  )
}
