import { LockOutlined } from '@ant-design/icons'
import { Button, Input, Space } from 'antd'
import { useState } from 'react'
import { useAll } from '../../api/queries.ts'
import { ActionMenu } from '../action-menu.tsx'
import { defineWords } from '../words.ts'
import type { invalidProps } from './field-problem.tsx'

const useWords = defineWords({ none: 'No secrets yet' }, { none: '还没有密钥' })

interface SecretInputProps {
  /** The label of the input, unless it has an id that a label points to. */
  label?: string
  id?: string
  /** The name of the button that offers the secrets. */
  choose: string
  placeholder?: string
  invalid?: ReturnType<typeof invalidProps>
  value: string
  onChange: (value: string) => void
}

/** A credential: usually a secret of the workspace. A key that was typed in is masked. */
export function SecretInput({ label, id, choose, placeholder, invalid, value, onChange }: SecretInputProps) {
  const words = useWords()
  const secrets = useAll('POST /api/v1/secret/list')
  const [isShown, setIsShown] = useState(false)
  const use = (name: string): void => {
    const scheme = /^(bearer|basic|token) +/i.exec(value)?.[0] ?? ''
    onChange(`${scheme}{{#secret.${name}#}}`)
  }
  const items = secrets.data?.map(({ name }) => ({ key: name, label: name, onClick: () => use(name) }))
  return (
    <Space.Compact block>
      <Input.Password
        {...(id === undefined ? { 'aria-label': label } : { id })}
        {...invalid}
        visibilityToggle={{ visible: isShown || value.includes('{{#'), onVisibleChange: setIsShown }}
        placeholder={placeholder}
        // Browsers would offer to store it as a password, or fill one in.
        autoComplete="new-password"
        value={value}
        onChange={event => onChange(event.target.value)}
      />
      <ActionMenu
        menu={{
          items: items?.length ? items : [{ key: '', disabled: true, label: words.none }],
        }}
      >
        <Button icon={<LockOutlined />} aria-label={choose} title={choose} />
      </ActionMenu>
    </Space.Compact>
  )
}
