import { useQueryClient } from '@tanstack/react-query'
import { Form, Input, Radio } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
import { navigate, pathTo } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'
import { WorkflowSelect } from './build/workflow-select.tsx'

const useWords = defineWords(
  {
    title: 'New agent',
    create: 'Create',
    cancel: 'Cancel',
    name: 'Name',
    nameNeeded: 'Enter a name',
    answersWith: 'Answers with',
    persona: 'A model with a persona',
    workflow: 'A workflow',
    profile: 'Persona',
    profileExample: 'You are a butler who knows the house. Answer briefly and politely.',
    which: 'Workflow',
    whichNeeded: 'Choose a workflow',
    choose: 'Choose a workflow',
  },
  {
    title: '新建智能体',
    create: '创建',
    cancel: '取消',
    name: '名称',
    nameNeeded: '请填写名称',
    answersWith: '回答方式',
    persona: '由模型按角色设定回答',
    workflow: '运行一个工作流',
    profile: '角色设定',
    profileExample: '你是一位管家，熟悉家里的一切，回答简短而有礼貌。',
    which: '工作流',
    whichNeeded: '请选择工作流',
    choose: '选择工作流',
  },
)

interface NewAgentForm {
  name: string
  answersWith: 'persona' | 'workflow'
  profile?: string
  workflowId?: string
}

/** Select and similar components use `value` and `onChange`; the form passes both. */
function WorkflowChoice({ value = '', onChange }: { value?: string; onChange?: (id: string) => void }) {
  const words = useWords()
  return (
    <WorkflowSelect
      value={value}
      onChange={id => onChange?.(id)}
      label={words.which}
      placeholder={words.choose}
    />
  )
}

export function CreateAgentDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const words = useWords()
  const queries = useQueryClient()
  const [form] = Form.useForm<NewAgentForm>()
  const answersWith = Form.useWatch('answersWith', form)
  const [error, setError] = useState<unknown>()
  const [isBusy, setIsBusy] = useState(false)
  const create = async ({ name, answersWith, profile, workflowId }: NewAgentForm): Promise<void> => {
    setIsBusy(true)
    setError(undefined)
    const config =
      answersWith === 'workflow'
        ? { workflow_id: workflowId ?? null }
        : { character_profile: profile ?? null }
    try {
      const { id } = await call('POST /api/v1/agent/create', { body: { name: name.trim(), config } })
      await queries.invalidateQueries({ queryKey: ['agents'] })
      onClose()
      navigate(pathTo('agents', id))
    } catch (problem) {
      setError(problem)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <Dialog
      open={isOpen}
      title={words.title}
      okText={words.create}
      cancelText={words.cancel}
      confirmLoading={isBusy}
      okButtonProps={{ htmlType: 'submit', form: 'new-agent' }}
      onCancel={() => {
        setError(undefined)
        onClose()
      }}
      destroyOnHidden
    >
      <Form<NewAgentForm>
        form={form}
        name="new-agent"
        layout="vertical"
        requiredMark={false}
        preserve={false}
        initialValues={{ answersWith: 'persona' }}
        onFinish={create}
      >
        <Form.Item
          name="name"
          label={words.name}
          rules={[{ required: true, whitespace: true, message: words.nameNeeded }]}
        >
          <Input autoFocus maxLength={100} />
        </Form.Item>
        <Form.Item name="answersWith" label={words.answersWith}>
          <Radio.Group
            options={[
              { value: 'persona', label: words.persona },
              { value: 'workflow', label: words.workflow },
            ]}
          />
        </Form.Item>
        {answersWith === 'workflow' ? (
          <Form.Item
            name="workflowId"
            label={words.which}
            rules={[{ required: true, message: words.whichNeeded }]}
          >
            <WorkflowChoice />
          </Form.Item>
        ) : (
          <Form.Item name="profile" label={words.profile}>
            <Input.TextArea rows={5} maxLength={50_000} placeholder={words.profileExample} />
          </Form.Item>
        )}
      </Form>
      {error !== undefined && <Failure error={error} />}
    </Dialog>
  )
}
