import { PlusOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { Alert, App, Button } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useMay } from '../../session/use-session.ts'
import { Badge } from '../../ui/badge.tsx'
import { DeleteButton } from '../../ui/delete-button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { QueryFailure, useFailureToast } from '../../ui/failure.tsx'
import { InlineCode } from '../../ui/inline-code.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { useLanguage } from '../../ui/preferences.ts'
import type { PageProps } from '../page-props.ts'
import { ModelDialog } from './model-dialog.tsx'
import { ModelTestResult, type Tested } from './model-test-result.tsx'
import { useModelWords, useTypeWords } from './model-words.ts'
import { type Model, useModels, useRefreshModels } from './use-models.ts'
import './models-page.css'

export function ModelsPage(_: PageProps) {
  const words = useModelWords()
  const may = useMay()
  const models = useModels()
  const [edited, setEdited] = useState<Model | 'new'>()
  const add = (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setEdited('new')}>
      {words.add}
    </Button>
  )
  return (
    <Page title={words.title} about={words.about} actions={may.administer ? add : undefined}>
      {models.isError && <QueryFailure query={models} />}
      {models.isPending && <Loading />}
      {!may.administer && models.data && <Alert type="info" showIcon title={words.onlyAdmins} />}
      {models.data?.length === 0 && (
        <EmptyState title={words.emptyTitle} actions={may.administer ? add : undefined}>
          <InlineCode text={may.administer ? words.emptyAdmin : words.emptyOther} />
        </EmptyState>
      )}
      <ul className="model-cards">
        {models.data?.map(model => (
          <li key={model.id}>
            <ModelCard model={model} onEdit={() => setEdited(model)} />
          </li>
        ))}
      </ul>
      {edited !== undefined && (
        <ModelDialog model={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </Page>
  )
}

function useFacts(model: Model): [string, string][] {
  const words = useModelWords()
  const locale = useLanguage() === 'zh' ? 'zh-CN' : 'en'
  const key = model.key_end !== '' ? words.keyEnd(model.key_end) : words.keyStored
  const number = (value: number | null) => value?.toLocaleString(locale)
  const tokens = (value: number | null) => (value === null ? undefined : words.tokens(number(value)!))
  const facts: [string, string | undefined][] = [
    [words.model, model.model],
    [words.address, model.base_url ?? words.inSettings],
    [words.key, model.has_key === null ? words.inSettings : model.has_key ? key : words.noKey],
    [words.headers, model.headers.map(({ name }) => name).join(', ')],
    [words.contextLength, tokens(model.context_length)],
    [words.maxTokens, tokens(model.max_tokens)],
    [words.temperature, number(model.temperature)],
    [words.fallbacks, model.fallbacks?.join(' → ')],
  ]
  return facts.filter((fact): fact is [string, string] => Boolean(fact[1]))
}

/** A model with its details and actions. */
function ModelCard({ model, onEdit }: { model: Model; onEdit: () => void }) {
  const words = useModelWords()
  const may = useMay()
  const types = useTypeWords()
  const facts = useFacts(model)
  const [tested, setTested] = useState<Tested>()
  const isFromSettings = model.source === 'environment'
  return (
    <article className="model-card" aria-label={model.name}>
      <div className="model-card-head">
        <h2>{model.name}</h2>
        {model.type !== 'chat' && <Badge>{types[model.type]}</Badge>}
        {model.is_default && <Badge tone="good">{words.isDefault}</Badge>}
        {isFromSettings && <Badge>{words.fromSettings}</Badge>}
      </div>
      <dl>
        {facts.map(([name, value]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {isFromSettings && (
        <p className="soft small">
          <InlineCode text={words.fromSettingsHow} />
        </p>
      )}
      {model.problem !== null && <Alert type="warning" showIcon title={words.unreadable} />}
      {tested && <ModelTestResult tested={tested} />}
      {may.administer && <ModelActions model={model} onEdit={onEdit} onTested={setTested} />}
    </article>
  )
}

interface ModelActionsProps {
  model: Model
  onEdit: () => void
  onTested: (tested: Tested | undefined) => void
}

function useModelActions({ model, onTested }: ModelActionsProps) {
  const words = useModelWords()
  const { message } = App.useApp()
  const refresh = useRefreshModels()
  const onError = useFailureToast()
  const body = { id: model.id }
  const test = useMutation({
    mutationFn: () => call('POST /api/v1/model/test', { body }),
    onMutate: () => onTested(undefined),
    onSuccess: onTested,
    onError,
  })
  const makeDefault = useMutation({
    mutationFn: () => call('POST /api/v1/model/update', { body: { ...body, is_default: true } }),
    onSuccess: () => {
      message.success(words.madeDefault(model.name))
      return refresh()
    },
    onError,
  })
  return { test, makeDefault, refresh }
}

/** The model of the server settings can only be tested. */
function ModelActions(props: ModelActionsProps) {
  const { model, onEdit } = props
  const words = useModelWords()
  const { test, makeDefault, refresh } = useModelActions(props)
  const isOwn = model.source === 'workspace'
  return (
    <div className="model-card-actions">
      <Button
        size="small"
        loading={test.isPending}
        aria-label={words.testNamed(model.name)}
        onClick={() => test.mutate()}
      >
        {test.isPending ? words.testing : words.test}
      </Button>
      {isOwn && (
        <Button type="text" size="small" aria-label={words.editNamed(model.name)} onClick={onEdit}>
          {words.edit}
        </Button>
      )}
      {isOwn && !model.is_default && (
        <Button
          type="text"
          size="small"
          loading={makeDefault.isPending}
          aria-label={words.makeDefaultNamed(model.name)}
          onClick={() => makeDefault.mutate()}
        >
          {words.makeDefault}
        </Button>
      )}
      {isOwn && (
        <DeleteButton
          text={words.delete}
          label={words.deleteNamed(model.name)}
          question={words.deleteSure}
          lost={words.deleteLost}
          done={words.deleted(model.name)}
          remove={() => call('POST /api/v1/model/delete', { body: { id: model.id } })}
          onRemoved={refresh}
        />
      )}
    </div>
  )
}
