import { Progress } from 'antd'
import type { ReactNode } from 'react'
import type { Usage } from '../../api/queries.ts'
import { ByteSize } from '../../ui/byte-size.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { defineWords } from '../../ui/words.ts'

type Quotas = Usage['quotas']

const useWords = defineWords(
  {
    title: 'Quotas',
    about: 'Current usage and limits of this workspace. The system administrator sets the limits.',
    calls_per_minute: 'Calls per minute',
    concurrent_runs: 'Active runs',
    storage_bytes: 'Files and workflow versions',
    documents: 'Documents',
    tokens_per_day: 'Tokens today (UTC)',
    limit: 'Limit:',
    unlimited: 'none',
  },
  {
    title: '配额',
    about: '这个工作空间当前的使用量和上限。上限由系统管理员设置。',
    calls_per_minute: '每分钟请求数',
    concurrent_runs: '正在运行',
    storage_bytes: '文件与工作流版本',
    documents: '文档',
    tokens_per_day: '今日 token（UTC）',
    limit: '上限：',
    unlimited: '无',
  },
)

/** Usage of the workspace's limits, independent of the filter of the page. */
export function UsageQuotas({ quotas }: { quotas: Quotas }) {
  const words = useWords()
  const { number } = useFormats()
  const names = Object.keys(quotas) as (keyof Quotas)[]
  const show = (name: keyof Quotas, value: number): ReactNode =>
    name === 'storage_bytes' ? <ByteSize bytes={value} /> : number(value)
  return (
    <section className="usage-card usage-quotas" aria-label={words.title}>
      <h2>{words.title}</h2>
      <p className="soft small">{words.about}</p>
      <dl className="usage-tiles">
        {names.map(name => {
          const { limit, used } = quotas[name]
          return (
            <div key={name}>
              <dt>{words[name]}</dt>
              {used !== null && <dd className="usage-value">{show(name, used)}</dd>}
              <dd className="soft small">
                {words.limit} {limit === null ? words.unlimited : show(name, limit)}
              </dd>
              {limit !== null && used !== null && (
                <dd>
                  <Progress
                    size="small"
                    percent={Math.min(100, Math.round((used / limit) * 100))}
                    status={used >= limit ? 'exception' : 'normal'}
                    aria-label={words[name]}
                  />
                </dd>
              )}
            </div>
          )
        })}
      </dl>
    </section>
  )
}
