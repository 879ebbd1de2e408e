import { CheckCircleFilled, ExclamationCircleFilled, MinusCircleOutlined } from '@ant-design/icons'
import type { FeatureName, Server } from '../api/queries.ts'
import { InlineCode } from './inline-code.tsx'
import { defineWords } from './words.ts'
import './feature-checklist.css'

const order: readonly FeatureName[] = [
  'model',
  'embedding',
  'rerank',
  'web_search',
  'transcription',
  'speech',
]

interface FeatureProps {
  name: FeatureName
  feature: Server['features'][FeatureName]
  mayAddModels: boolean
}

function Feature({ name, feature, mayAddModels }: FeatureProps) {
  const words = useFeatureWords()
  // Without a language model almost nothing answers; the rest is optional.
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
          {!feature.ready &&
            (name !== 'web_search' && mayAddModels ? (
              <>
                {words.gap}
                <a href="#/models">{words.add}</a>
              </>
            ) : (
              <InlineCode text={words.how(feature.settings.map(setting => `\`${setting}\``))} />
            ))}
        </div>
      </div>
    </li>
  )
}

function DamagedFiles({ count }: { count: number }) {
  const words = useFeatureWords()
  return (
    <li>
      <span aria-hidden="true">
        <ExclamationCircleFilled className="feature-needed" />
      </span>
      <div>
        <strong className="feature-needed">{words.damagedFiles(count)}</strong>
        <div className="soft small">
          <InlineCode text={words.damagedFilesAbout} />
        </div>
      </div>
    </li>
  )
}

/** The features that the server is set up for, and the settings for the others. */
export function FeatureChecklist({ server, mayAddModels }: { server: Server; mayAddModels: boolean }) {
  const words = useFeatureWords()
  return (
    <ul className="features" aria-label={words.title}>
      {server.damaged_files ? <DamagedFiles count={server.damaged_files} /> : null}
      {order.map(name => (
        <Feature key={name} name={name} feature={server.features[name]} mayAddModels={mayAddModels} />
      ))}
    </ul>
  )
}

export const useFeatureWords = defineWords(
  {
    title: 'Setup status',
    ready: 'ready',
    readyNamed: (name: string) => `ready: ${name}`,
    needed: 'required',
    notSet: 'not set',
    how: (settings: string[]) => ` Set ${settings.join(', ')} and restart the server. `,
    gap: ' ',
    add: 'Add one under Models; it is ready immediately.',
    damagedFiles: (count: number) => `Damaged or missing file contents: ${count}`,
    damagedFilesAbout:
      'Run `npm run banyan -- scrub` on the server to list them, then upload these files again or restore a backup.',
    model: 'Language model',
    model_about: 'Generates answers for agents and workflows.',
    embedding: 'Embedding model',
    embedding_about: 'Finds passages by meaning. Keyword search works without it.',
    rerank: 'Rerank model',
    rerank_about: 'Ranks the most relevant passages first.',
    web_search: 'Web search',
    web_search_about: 'Lets agents and workflows search the web.',
    transcription: 'Transcription',
    transcription_about: 'Transcribes voice messages.',
    speech: 'Speech',
    speech_about: 'Answers with voice messages.',
  },
  {
    title: '配置情况',
    ready: '已就绪',
    readyNamed: (name: string) => `已就绪：${name}`,
    needed: '需要配置',
    notSet: '未配置',
    how: (settings: string[]) => `设置 ${settings.join('、')} 后重启服务器即可。`,
    gap: '',
    add: '在“模型”页添加，立即可用。',
    damagedFiles: (count: number) => `有 ${count} 份文件内容已损坏或丢失`,
    damagedFilesAbout:
      '在服务器上运行 `npm run banyan -- scrub` 查看是哪些文件，然后重新上传这些文件，或从备份恢复。',
    model: '语言模型',
    model_about: '为智能体和工作流生成回答。',
    embedding: '向量模型',
    embedding_about: '按语义查找段落；没有它也可以按关键词搜索。',
    rerank: '重排序模型',
    rerank_about: '把最相关的段落排在前面。',
    web_search: '联网搜索',
    web_search_about: '让智能体和工作流在网上查找资料。',
    transcription: '语音识别',
    transcription_about: '把语音消息转成文字。',
    speech: '语音合成',
    speech_about: '用语音消息回答。',
  },
)
