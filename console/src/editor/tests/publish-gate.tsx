import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { Badge } from '../../ui/badge.tsx'
import { pathTo } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'
import type { TestResult, TestSet } from './test-set-data.ts'
import { useVerdict } from './test-words.ts'
import './tests.css'

const useWords = defineWords(
  {
    title: 'Test sets',
    untested: 'Not run with this version',
    failed: (failed: number, total: number) => `${failed} of ${total} cases have not passed`,
    passed: (total: number) => (total === 1 ? 'The case has passed' : `All ${total} cases have passed`),
    more: (count: number) => `and ${count} more`,
    openRun: (name: string) => `Open the run of ${name}`,
    run: 'Run',
  },
  {
    title: '测试集',
    untested: '尚未用此版本运行',
    failed: (failed: number, total: number) => `${total} 个用例中 ${failed} 个未通过`,
    passed: (total: number) => `${total} 个用例全部通过`,
    more: (count: number) => `还有 ${count} 个`,
    openRun: (name: string) => `打开 ${name} 的运行`,
    run: '运行',
  },
)

interface GuardState {
  set: TestSet
  /** Results of the last test run with the version; empty if there is none. */
  results: TestResult[]
}

const isPassed = ({ results }: GuardState): boolean =>
  results.length > 0 && results.every(({ status }) => status === 'passed')

/** How the last test run with the version ended. */
async function stateOf(set: TestSet, version: number, signal: AbortSignal): Promise<GuardState> {
  const { items } = await call('POST /api/v1/test/runs', {
    body: { id: set.id, page: 1, page_size: 20 },
    signal,
  })
  const last = items.find(run => run.versions.some(each => each.version === version))
  if (!last) return { set, results: [] }
  const { results } = await call('POST /api/v1/test/results', { body: { id: last.id }, signal })
  return { set, results: results.filter(result => result.version === version) }
}

/** The test sets that guard the workflow, and how they ended with the version. */
export function useGuards(workflowId: string, version: number, { enabled = true } = {}) {
  const { data } = useQuery({
    queryKey: ['tests', 'guards', workflowId, version],
    queryFn: async ({ signal }) => {
      const body = { workflow_id: workflowId, page: 1, page_size: 100 }
      const { items } = await call('POST /api/v1/test/list', { body, signal })
      const guarding = items.filter(({ gate }) => gate !== 'off')
      return Promise.all(guarding.map(set => stateOf(set, version, signal)))
    },
    enabled,
    staleTime: 0,
  })
  const guards = data ?? []
  return { guards, isRefused: guards.some(each => each.set.gate === 'refuse' && !isPassed(each)) }
}

const maxShown = 5

/** Each guarding test set with the cases that have not passed. */
export function GuardList({ guards }: { guards: readonly GuardState[] }) {
  const words = useWords()
  const verdict = useVerdict()
  if (guards.length === 0) return null
  return (
    <section className="test-guards" aria-label={words.title}>
      <h3>{words.title}</h3>
      <ul>
        {guards.map(guard => {
          const { set, results } = guard
          const failed = results.filter(({ status }) => status !== 'passed')
          const tone = isPassed(guard) ? 'good' : set.gate === 'refuse' ? 'bad' : 'warning'
          return (
            <li key={set.id}>
              <a href={pathTo('workflows', set.workflow_id, 'tests', set.id)}>{set.name}</a>{' '}
              <Badge tone={tone}>
                {results.length === 0
                  ? words.untested
                  : failed.length === 0
                    ? words.passed(results.length)
                    : words.failed(failed.length, results.length)}
              </Badge>
              {failed.length > 0 && (
                <ul>
                  {failed.slice(0, maxShown).map(result => (
                    <li key={result.case_id}>
                      <strong className="test-name">{result.name}</strong>{' '}
                      <a
                        className="small"
                        href={pathTo('runs', result.run_id)}
                        aria-label={words.openRun(result.name)}
                      >
                        {words.run}
                      </a>
                      {verdict(result.message).map(line => (
                        <div key={line} className="test-why small">
                          {line}
                        </div>
                      ))}
                    </li>
                  ))}
                  {failed.length > maxShown && <li>{words.more(failed.length - maxShown)}</li>}
                </ul>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
