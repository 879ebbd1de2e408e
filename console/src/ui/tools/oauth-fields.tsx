import { Input } from 'antd'
import { useId, useState } from 'react'
import { defineWords } from '../words.ts'
import { Field } from './field.tsx'
import { invalidProps, ProblemLine } from './field-problem.tsx'
import { SecretInput } from './secret-input.tsx'
import type { ToolForm } from './tool-settings.ts'

const useWords = defineWords(
  {
    title: 'OAuth client credentials',
    about: 'For a server that requires OAuth. Leave empty otherwise.',
    client_id: 'Client ID',
    client_secret: 'Client secret',
    choose: 'Use a secret as the client secret',
    issuer: 'Issuer',
    issuerHelp: 'URL of the authorization server. The credentials are sent nowhere else.',
    scope: 'Scope',
    scopeHelp: 'Separated by spaces.',
  },
  {
    title: 'OAuth 客户端凭据',
    about: '用于要求 OAuth 的服务器，否则留空。',
    client_id: '客户端 ID',
    client_secret: '客户端密钥',
    choose: '用密钥作为客户端密钥',
    issuer: '颁发者',
    issuerHelp: '授权服务器的地址，凭据只会发送到这里。',
    scope: '权限范围',
    scopeHelp: '以空格分隔。',
  },
)

interface OauthFieldsProps {
  oauth: ToolForm['oauth']
  problem: string | undefined
  onChange: (oauth: ToolForm['oauth']) => void
}

/** The client credentials for an MCP server, folded away while there are none. */
export function OauthFields({ oauth, problem, onChange }: OauthFieldsProps) {
  const words = useWords()
  // Decided only at first, because emptying a field must not fold it away.
  const [isOpen] = useState(() => Object.values(oauth).some(text => text !== ''))
  const problemId = useId()
  const invalidIfEmpty = (name: 'client_id' | 'client_secret' | 'issuer') =>
    invalidProps(problemId, problem !== undefined && oauth[name].trim() === '')
  const textField = (name: 'client_id' | 'issuer' | 'scope', help?: string) => (
    <Field label={words[name]} help={help}>
      {id => (
        <Input
          id={id}
          {...(name !== 'scope' && invalidIfEmpty(name))}
          autoComplete="off"
          spellCheck={false}
          value={oauth[name]}
          onChange={event => onChange({ ...oauth, [name]: event.target.value })}
        />
      )}
    </Field>
  )
  return (
    <details className="oauth-fields" open={isOpen}>
      <summary>{words.title}</summary>
      <p className="soft small">{words.about}</p>
      {textField('client_id')}
      <Field label={words.client_secret}>
        {id => (
          <SecretInput
            id={id}
            choose={words.choose}
            invalid={invalidIfEmpty('client_secret')}
            value={oauth.client_secret}
            onChange={client_secret => onChange({ ...oauth, client_secret })}
          />
        )}
      </Field>
      {textField('issuer', words.issuerHelp)}
      {textField('scope', words.scopeHelp)}
      <ProblemLine id={problemId} text={problem} />
    </details>
  )
}
