import { useMutation } from '@tanstack/react-query'
import { App, Form, Input } from 'antd'
import { call } from '../../api/call.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { defineWords } from '../../ui/words.ts'
import type { Secret } from './secret-words.ts'
import { useRefreshSecrets } from './use-secrets.ts'

const useWords = defineWords(
  {
    add: 'Add a secret',
    replace: (name: string) => `Replace the value of ${name}`,
    name: 'Name',
    nameAbout: 'Letters, digits, _ and -, starting with a letter. Requests refer to it by this name.',
    nameNeeded: 'Use letters, digits, _ and -, starting with a letter',
    taken: 'This secret already exists. Replace its value in the list.',
    value: 'Value',
    valueAbout: 'At least 8 characters. It is stored encrypted and never shown again.',
    valueNeeded: 'Enter at least 8 characters',
    saved: (name: string) => `${name} saved`,
  },
  {
    add: '添加密钥',
    replace: (name: string) => `更换 ${name} 的值`,
    name: '名称',
    nameAbout: '以字母开头，可用字母、数字、_ 和 -。请求通过这个名称引用它。',
    nameNeeded: '请以字母开头，只用字母、数字、_ 和 -',
    taken: '已有同名密钥，请在列表中更换它的值。',
    value: '值',
    valueAbout: '至少 8 个字符。加密保存，之后不再显示。',
    valueNeeded: '至少填写 8 个字符',
    saved: (name: string) => `${name} 已保存`,
  },
)

interface SecretFields {
  name: string
  value: string
}

interface SecretDialogProps {
  /** The secret whose value is replaced; without it, one is added. */
  secret: Secret | undefined
  taken: readonly string[]
  onClose(): void
}

export function SecretDialog({ secret, taken, onClose }: SecretDialogProps) {
  const words = useWords()
  const { message } = App.useApp()
  const refresh = useRefreshSecrets()
  const save = useMutation({
    mutationFn: ({ name, value }: SecretFields) =>
      // Keys are usually pasted, often with a line break at the end.
      call('POST /api/v1/secret/set', { body: { name: secret?.name ?? name, value: value.trim() } }),
    onSuccess: async saved => {
      await refresh()
      message.success(words.saved(saved.name))
      onClose()
    },
  })
  const isFree = (_: unknown, name: string): Promise<void> =>
    taken.includes(name) ? Promise.reject(new Error(words.taken)) : Promise.resolve()
  return (
    <FormDialog
      title={secret ? words.replace(secret.name) : words.add}
      name="secret"
      saving={save}
      onClose={onClose}
    >
      {!secret && (
        <Form.Item
          name="name"
          label={words.name}
          extra={words.nameAbout}
          rules={[
            { required: true, pattern: /^[A-Za-z][A-Za-z0-9_-]{0,63}$/, message: words.nameNeeded },
            { validator: isFree },
          ]}
        >
          <Input autoFocus autoComplete="off" spellCheck={false} placeholder="crm_key" maxLength={64} />
        </Form.Item>
      )}
      <Form.Item
        name="value"
        label={words.value}
        extra={words.valueAbout}
        style={{ marginBottom: 0 }}
        rules={[{ required: true, whitespace: true, min: 8, transform: trimmed, message: words.valueNeeded }]}
      >
        <Input.Password autoFocus={secret !== undefined} autoComplete="new-password" />
      </Form.Item>
    </FormDialog>
  )
}

const trimmed = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value)
