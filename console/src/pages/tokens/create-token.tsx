import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Form, type FormInstance, Input, Radio, Select } from 'antd'
import { call } from '../../api/call.ts'
import { allKey, useAll } from '../../api/queries.ts'
import { useOptionsFailure } from '../../ui/failure.tsx'
import { MakeSecretDialog, SecretOnce } from '../../ui/secret-once.tsx'
import { defineWords } from '../../ui/words.ts'
import { type Token, useTokenWords } from './token-words.ts'

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

const bodyOf = ({ name, role, days, agent_ids, user_id = '' }: TokenFields) => ({
  name: name.trim(),
  role,
  ...(days > 0 && { expires_in_days: days }),
  ...(role === 'runner' && { agent_ids: agent_ids ?? [] }),
  ...(role === 'runner' && user_id.trim() !== '' && { user_id: user_id.trim() }),
})

/** Creates a token, then shows it. */
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

interface TokenFields {
  name: string
  role: Token['role']
  /** 0 for a token that never expires. */
  days: number
  agent_ids?: string[]
  user_id?: string
}

const useTokenFormItemsWords = defineWords(
  {
    name: 'Name',
    nameAbout: 'Who or what it is for.',
    nameNeeded: 'Enter a name',
    role: 'Role',
    expires: 'Expires',
    days: (count: number) => `in ${count} days`,
    year: 'in a year',
    never: 'never',
    agents: 'Agents it can chat with',
    agentsNeeded: 'Choose at least one agent',
    user: 'User ID (optional)',
    userAbout:
      'With a user ID, the token sees only conversations, runs and files of this user. Without one, it can read and delete the conversations of all users of these agents: keep it on your server, not in a web page.',
  },
  {
    name: '名称',
    nameAbout: '说明给谁用或用来做什么。',
    nameNeeded: '请填写名称',
    role: '角色',
    expires: '有效期',
    days: (count: number) => `${count} 天后`,
    year: '一年后',
    never: '永不过期',
    agents: '可以对话的智能体',
    agentsNeeded: '至少选择一个智能体',
    user: '用户 ID（可选）',
    userAbout:
      '填写后，令牌只能访问该用户的对话、运行和文件。不填写时，令牌可以读取和删除这些智能体的所有用户的对话：请只保存在你的服务器上，不要放进网页。',
  },
)

const roles = ['admin', 'editor', 'viewer', 'runner'] as const

function AgentsField() {
  const words = useTokenFormItemsWords()
  const agents = useAll('POST /api/v1/agent/list')
  return (
    <Form.Item
      name="agent_ids"
      label={words.agents}
      rules={[{ required: true, type: 'array', min: 1, message: words.agentsNeeded }]}
    >
      <Select
        mode="multiple"
        loading={agents.isPending}
        {...useOptionsFailure(agents)}
        showSearch={{ optionFilterProp: 'label' }}
        options={agents.data?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
      />
    </Form.Item>
  )
}

function TokenFormItems({ form }: { form: FormInstance<TokenFields> }) {
  const words = useTokenFormItemsWords()
  const roleWords = useTokenWords()
  const role = Form.useWatch('role', form)
  return (
    <>
      <Form.Item
        name="name"
        label={words.name}
        extra={words.nameAbout}
        rules={[{ required: true, whitespace: true, message: words.nameNeeded }]}
      >
        <Input maxLength={100} autoFocus autoComplete="off" />
      </Form.Item>
      <Form.Item name="role" label={words.role}>
        <Radio.Group className="role-choices" aria-label={words.role}>
          {roles.map(each => (
            <Radio key={each} value={each}>
              {roleWords[each]}
              <span className="role-about small">{roleWords[`${each}About`]}</span>
            </Radio>
          ))}
        </Radio.Group>
      </Form.Item>
      {role === 'runner' && <AgentsField />}
      {role === 'runner' && (
        <Form.Item name="user_id" label={words.user} extra={words.userAbout}>
          <Input maxLength={128} autoComplete="off" />
        </Form.Item>
      )}
      <Form.Item name="days" label={words.expires} style={{ marginBottom: 0 }}>
        <Select
          options={[
            ...[7, 30, 90].map(count => ({ value: count, label: words.days(count) })),
            { value: 365, label: words.year },
            { value: 0, label: words.never },
          ]}
        />
      </Form.Item>
    </>
  )
}
