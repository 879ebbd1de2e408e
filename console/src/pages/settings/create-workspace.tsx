import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Form, Input } from 'antd'
import { call } from '../../api/call.ts'
import { allKey } from '../../api/use-all.ts'
import { MakeSecretDialog } from '../../ui/make-secret-dialog.tsx'
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
  return (
    <MakeSecretDialog
      {...{ create, form, onClose }}
      name="workspace"
      words={{
        title: words.create,
        ready: ({ name }) => words.isReady(name),
        create: words.make,
        cancel: words.cancel,
        done: words.done,
      }}
      made={({ token }) => (
        <>
          <p>{words.createdAbout}</p>
          <SecretOnce secret={token} withLink />
        </>
      )}
    >
      <Form.Item
        name="name"
        label={words.name}
        rules={[{ required: true, whitespace: true, message: words.nameNeeded }]}
      >
        <Input maxLength={100} autoFocus autoComplete="off" />
      </Form.Item>
    </MakeSecretDialog>
  )
}
