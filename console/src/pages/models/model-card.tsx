import { Alert } from 'antd'
import { useState } from 'react'
import { useMay } from '../../session/use-session.ts'
import { Badge } from '../../ui/badge.tsx'
import { useLanguage } from '../../ui/preferences.ts'
import { ModelActions } from './model-actions.tsx'
import { ModelTestResult, type Tested } from './model-test-result.tsx'
import { useModelWords } from './model-words.ts'
import type { Model } from './use-models.ts'

function useFacts(model: Model): [string, string][] {
  const words = useModelWords()
  const locale = useLanguage() === 'zh' ? 'zh-CN' : 'en'
  const key = model.key_end !== '' ? words.keyEnd(model.key_end) : words.keyStored
  return [
    [words.model, model.model],
    [words.address, model.base_url ?? words.inSettings],
    [words.key, model.has_key === null ? words.inSettings : model.has_key ? key : words.noKey],
    ...(model.max_tokens === null
      ? []
      : ([[words.maxTokens, words.tokens(model.max_tokens.toLocaleString(locale))]] as [string, string][])),
    ...(model.temperature === null
      ? []
      : ([[words.temperature, model.temperature.toLocaleString(locale)]] as [string, string][])),
  ]
}

/** A model with what is known of it, and what can be done with it. */
export function ModelCard({ model, onEdit }: { model: Model; onEdit: () => void }) {
  const words = useModelWords()
  const may = useMay()
  const facts = useFacts(model)
  const [tested, setTested] = useState<Tested>()
  const isFromSettings = model.source === 'environment'
  return (
    <article className="model-card" aria-label={model.name}>
      <div className="model-card-head">
        <h2>{model.name}</h2>
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
      {isFromSettings && <p className="soft small">{words.fromSettingsHow}</p>}
      {model.problem !== null && <Alert type="warning" showIcon title={model.problem} />}
      {tested && <ModelTestResult tested={tested} />}
      {may.administer && <ModelActions model={model} onEdit={onEdit} onTested={setTested} />}
    </article>
  )
}
