import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Form } from 'antd'
import { call } from '../../api/call.ts'
import { allKey } from '../../api/use-all.ts'
import { MakeSecretDialog } from '../../ui/make-secret-dialog.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { defineWords } from '../../ui/words.ts'
import { type TokenFields, TokenFormItems } from './token-form-items.tsx'

const useWords = defineWords(
  {
    title: 'Create a token',
    ready: (name: string) => `${name} created`,
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
  return (
    <MakeSecretDialog
      {...{ create, form, onClose }}
      name="token"
      initial={{ role: 'editor', days: 90 }}
      words={{ ...words, ready: ({ name }) => words.ready(name) }}
      made={({ token, role }) => <SecretOnce secret={token} withLink={role !== 'runner'} />}
    >
      <TokenFormItems form={form} />
    </MakeSecretDialog>
  )
}
