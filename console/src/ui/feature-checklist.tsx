import { CheckCircleFilled, ExclamationCircleFilled, MinusCircleOutlined } from '@ant-design/icons'
import type { FeatureName, Server } from '../api/use-server.ts'
import { useFeatureWords } from './feature-words.ts'
import './feature-checklist.css'

const order: readonly FeatureName[] = ['model', 'embedding', 'rerank', 'web_search', 'transcription']

interface FeatureProps {
  name: FeatureName
  feature: Server['features'][FeatureName]
  mayAddModels: boolean
}

function Feature({ name, feature, mayAddModels }: FeatureProps) {
  const words = useFeatureWords()
  // Without a language model next to nothing answers; all else is a choice.
  const isNeeded = name === 'model'
  const icon = feature.ready ? (
    <CheckCircleFilled className="feature-ready" />
  ) : isNeeded ? (
    <ExclamationCircleFilled className="feature-needed" />
  ) : (
    <MinusCircleOutlined className="soft" />
  )
  const state = feature.ready ? words.ready : isNeeded ? words.needed : words.notSet
  return (
    <li>
      <span aria-hidden="true">{icon}</span>
      <div>
        <div className="feature-title">
          <strong>{words[name]}</strong>
          <span className={`small ${!feature.ready && isNeeded ? 'feature-needed' : 'soft'}`}>
            {feature.ready && feature.name ? words.readyNamed(feature.name) : state}
          </span>
        </div>
        <div className="soft small">
          {words[`${name}_about`]}
          {!feature.ready && words.how(feature.settings)}
          {!feature.ready && name === 'model' && mayAddModels && <a href="#/models">{words.orAdd}</a>}
        </div>
      </div>
    </li>
  )
}

/** What the server is set up for, and what to set for the rest. */
export function FeatureChecklist({ server, mayAddModels }: { server: Server; mayAddModels: boolean }) {
  const words = useFeatureWords()
  return (
    <ul className="features" aria-label={words.title}>
      {order.map(name => (
        <Feature key={name} name={name} feature={server.features[name]} mayAddModels={mayAddModels} />
      ))}
    </ul>
  )
}
