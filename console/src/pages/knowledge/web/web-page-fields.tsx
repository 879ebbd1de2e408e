import { Form, Input, InputNumber } from 'antd'
import { ownTimezone, TimezoneSelect } from '../../../ui/timezone-select.tsx'
import { defineWords } from '../../../ui/words.ts'
import { cronChoice, isNamedRefresh, RefreshSelect } from './refresh-select.tsx'
import type { WebPage } from './use-web-pages.ts'

const useWords = defineWords(
  {
    max: 'Max pages',
    include: 'Only paths that start with',
    exclude: 'Except paths that start with',
    prefixHint: 'One per line, for example /docs/',
    prefixWrong: 'A path starts with /',
    refresh: 'Refresh',
    refreshHint: 'Unchanged pages are not indexed again. A page that disappears keeps its last text.',
    cron: 'Cron expression',
    cronHint: 'Minute, hour, day, month, weekday. At most once an hour.',
    cronNeeded: 'Enter a cron expression',
    timezone: 'Time zone',
  },
  {
    max: '网页数量上限',
    include: '仅包含以这些路径开头的网页',
    exclude: '排除以这些路径开头的网页',
    prefixHint: '每行一个，例如 /docs/',
    prefixWrong: '路径须以 / 开头',
    refresh: '刷新',
    refreshHint: '内容没有变化的网页不会重新索引；消失的网页保留上一次的内容。',
    cron: 'cron 表达式',
    cronHint: '分、时、日、月、星期。最多每小时一次。',
    cronNeeded: '请填写 cron 表达式',
    timezone: '时区',
  },
)

export interface LimitFields {
  max?: number | null
  include?: string
  exclude?: string
}

export interface ScheduleFields {
  refresh: string
  cron?: string
  timezone?: string
}

export const linesOf = (text = ''): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')

/** All limits, so that emptied ones are removed. */
export const limitsOf = ({ max, include, exclude }: LimitFields) => ({
  ...(typeof max === 'number' && { max_pages: max }),
  include: linesOf(include),
  exclude: linesOf(exclude),
})

export const scheduleOf = ({ refresh, cron = '', timezone }: ScheduleFields) =>
  refresh === cronChoice ? { refresh: cron.trim(), ...(timezone && { timezone }) } : { refresh }

/** The fields of a page or site map that exists. */
export const fieldsOf = ({ refresh, timezone, sitemap }: WebPage): LimitFields & ScheduleFields => ({
  ...(isNamedRefresh(refresh)
    ? { refresh, timezone: ownTimezone() }
    : { refresh: cronChoice, cron: refresh, timezone }),
  ...(sitemap && {
    max: sitemap.max_pages,
    include: sitemap.include.join('\n'),
    exclude: sitemap.exclude.join('\n'),
  }),
})

/** Fields that select the pages of a site map to add. */
export function SiteMapLimits() {
  const words = useWords()
  const checkPrefixes = async (_: unknown, text: string | undefined): Promise<void> => {
    if (linesOf(text).some(line => !line.startsWith('/'))) throw new Error(words.prefixWrong)
  }
  return (
    <>
      <Form.Item name="max" label={words.max}>
        <InputNumber min={1} max={2000} precision={0} />
      </Form.Item>
      <div className="kb-web-paths">
        {(['include', 'exclude'] as const).map(name => (
          <Form.Item
            key={name}
            name={name}
            label={words[name]}
            extra={words.prefixHint}
            rules={[{ validator: checkPrefixes }]}
          >
            <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} spellCheck={false} />
          </Form.Item>
        ))}
      </div>
    </>
  )
}

/** Fields for how often a page or site map is fetched again. */
export function RefreshFields() {
  const words = useWords()
  return (
    <>
      <Form.Item name="refresh" label={words.refresh} extra={words.refreshHint}>
        <RefreshSelect label={words.refresh} hasCron />
      </Form.Item>
      <Form.Item noStyle dependencies={['refresh']}>
        {({ getFieldValue }) =>
          getFieldValue('refresh') === cronChoice && (
            <div className="kb-web-paths">
              <Form.Item
                name="cron"
                label={words.cron}
                extra={words.cronHint}
                rules={[{ required: true, whitespace: true, message: words.cronNeeded }]}
              >
                <Input placeholder="0 3 * * 1" autoComplete="off" maxLength={100} />
              </Form.Item>
              <Form.Item name="timezone" label={words.timezone} initialValue={ownTimezone()}>
                <TimezoneSelect />
              </Form.Item>
            </div>
          )
        }
      </Form.Item>
    </>
  )
}
