import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Form, Modal } from 'antd'
import { call } from '../../api/call.ts'
import { allKey } from '../../api/use-all.ts'
import { Failure } from '../../ui/failure.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { defineWords } from '../../ui/words.ts'
import { type TokenFields, TokenFormItems } from './token-form-items.tsx'

const useWords = defineWords(
  {
    title: 'Create a token',
    ready: (name: string) => `${name} is ready`,
    create: 'Create',
    cancel: 'Cancel',
    done: 'Done',
  },
  {
    title: '创建令牌',
    ready: (name: string) => `${name} 已创建`,
    create: '创建',
    cancel: '取消',
    done: '完成',
  },
)

const bodyOf = ({ name, role, days, agent_ids }: TokenFields) => ({
  name: name.trim(),
  role,
  ...(days > 0 && { expires_in_days: days }),
  ...(role === 'runner' && { agent_ids: agent_ids ?? [] }),
})

/** Asks for what a token needs, then shows its secret. */
export function CreateToken({ onClose }: { onClose: () => void }) {
  const words = useWords()
  const queries = useQueryClient()
  const [form] = Form.useForm<TokenFields>()
  const create = useMutation({
    mutationFn: (fields: TokenFields) => call('POST /api/v1/token/create', { body: bodyOf(fields) }),
    onSuccess: () => queries.invalidateQueries({ queryKey: allKey('POST /api/v1/token/list') }),
  })
  const made = create.data
  return (
    <Modal
      open
      title={made ? words.ready(made.name) : words.title}
      okText={made ? words.done : words.create}
      cancelText={words.cancel}
      confirmLoading={create.isPending}
      // Neither a stray click nor a stray key may throw away what is shown only once, or is about to be.
      mask={{ closable: false }}
      keyboard={!made && !create.isPending}
      closable={!create.isPending}
      cancelButtonProps={{ disabled: create.isPending, ...(made && { style: { display: 'none' } }) }}
      onOk={made ? onClose : form.submit}
      onCancel={onClose}
    >
      {create.isError && <Failure error={create.error} />}
      {made ? (
        <SecretOnce secret={made.token} withLink={made.role !== 'runner'} />
      ) : (
        <Form
          form={form}
          name="token"
          layout="vertical"
          requiredMark={false}
          initialValues={{ role: 'editor', days: 90 }}
          onFinish={fields => create.mutate(fields)}
        >
          <TokenFormItems form={form} />
        </Form>
      )}
    </Modal>
  )
}
