import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Form, Input, Modal } from 'antd'
import { call } from '../../api/call.ts'
import { allKey } from '../../api/use-all.ts'
import { Failure } from '../../ui/failure.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { useWorkspaceWords } from './workspace-words.ts'

/** Makes a workspace, then shows its first token. */
export function CreateWorkspace({ onClose }: { onClose: () => void }) {
  const words = useWorkspaceWords()
  const queries = useQueryClient()
  const [form] = Form.useForm<{ name: string }>()
  const create = useMutation({
    mutationFn: ({ name }: { name: string }) =>
      call('POST /api/v1/workspace/create', { body: { name: name.trim() } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: allKey('POST /api/v1/workspace/list') }),
  })
  const made = create.data
  return (
    <Modal
      open
      title={made ? words.isReady(made.name) : words.create}
      okText={made ? words.done : words.make}
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
        <>
          <p>{words.createdAbout}</p>
          <SecretOnce secret={made.token} withLink />
        </>
      ) : (
        <Form
          form={form}
          name="workspace"
          layout="vertical"
          requiredMark={false}
          onFinish={fields => create.mutate(fields)}
        >
          <Form.Item
            name="name"
            label={words.name}
            rules={[{ required: true, whitespace: true, message: words.nameNeeded }]}
          >
            <Input maxLength={100} autoFocus autoComplete="off" />
          </Form.Item>
        </Form>
      )}
    </Modal>
  )
}
