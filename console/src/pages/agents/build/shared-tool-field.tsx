import { Select } from 'antd'
import { Field } from '../../../ui/tools/field.tsx'
import type { ToolForm } from '../../../ui/tools/tool-settings.ts'
import { useTools } from '../../../ui/tools/use-tools.ts'

interface SharedToolFieldProps {
  form: ToolForm
  edit: (change: Partial<ToolForm>) => void
  label: string
  placeholder: string
  problem: string | undefined
}

/** One of the shared tools of the workspace. The name follows the chosen tool unless another one was typed. */
export function SharedToolField({ form, edit, label, placeholder, problem }: SharedToolFieldProps) {
  const { data: tools = [], isPending } = useTools()
  const nameOf = (id: string): string => tools.find(tool => tool.id === id)?.name ?? ''
  const isOwnName = form.name.trim() !== '' && form.name !== nameOf(form.id)
  return (
    <Field label={label} problem={problem}>
      {(id, invalid) => (
        <Select
          id={id}
          {...invalid}
          showSearch={{ optionFilterProp: 'label' }}
          loading={isPending}
          placeholder={placeholder}
          value={form.id || undefined}
          options={tools.map(tool => ({
            value: tool.id,
            label: tool.name,
            about: tool.description || tool.url,
          }))}
          optionRender={({ data }) => (
            <span className="tool-option">
              {data.label}
              <span className="soft small">{data.about}</span>
            </span>
          )}
          onChange={(chosen: string) => edit({ id: chosen, ...(!isOwnName && { name: nameOf(chosen) }) })}
        />
      )}
    </Field>
  )
}
