import { PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useNodeForm } from '../node-form.ts'

export function AddButton({ label, onClick }: { label: string; onClick(): void }) {
  const { isReadOnly } = useNodeForm()
  if (isReadOnly) return null
  return (
    <Button type="dashed" size="small" block icon={<PlusOutlined />} onClick={onClick}>
      {label}
    </Button>
  )
}
