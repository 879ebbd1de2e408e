import type { QuotaService } from '../../access/quota-service.ts'
import { limits } from '../../contract/limits.ts'
import { quotaFields } from '../../contract/quotas.ts'
import { usageOperations as operations, usageCounts } from '../../contract/usage-operations.ts'
import { invalidField } from '../../kernel/app-error.ts'
import { type Clock, dayMilliseconds, isoTime } from '../../kernel/clock.ts'
import type { UsageDay, UsageRange, UsageStore, UsageTotals } from '../../workflow/run/store/usage-store.ts'
import { type Call, type Route, route } from '../route.ts'
import { wireWriter } from '../wire.ts'

const defaultDays = 30
const maxListed = 20

const dateOf = (day: number): string => isoTime(day * dayMilliseconds).slice(0, 'yyyy-mm-dd'.length)

function dayOf(date: string, pointer: string): number {
  const time = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN
  const day = time / dayMilliseconds
  // Date.parse accepts February 30 as a day in March.
  if (!Number.isInteger(day) || dateOf(day) !== date)
    throw invalidField(pointer, 'must be a date, such as 2026-11-15')
  return day
}

function rangeOf(query: Call<typeof operations.get>['query'], now: number): UsageRange {
  const toDay = query.to === undefined ? Math.floor(now / dayMilliseconds) : dayOf(query.to, '/to')
  const fromDay = query.from === undefined ? toDay - defaultDays + 1 : dayOf(query.from, '/from')
  if (fromDay > toDay) throw invalidField('/from', 'must not be after /to')
  if (toDay - fromDay >= limits.usageDays)
    throw invalidField('/from', `must be at most ${limits.usageDays} days before the end of /to`)
  return { fromDay, toDay, agentId: query.agent_id, workflowId: query.workflow_id }
}

const writeCounts = wireWriter(usageCounts, { elapsed_ms: 'activeMilliseconds' })
/** Rounds costs, because sums have rounding errors such as 0.30000000000000004. */
const countsOnWire = (counts: UsageTotals) =>
  writeCounts({ ...counts, cost: Math.round(counts.cost * 1e9) / 1e9 })

const quotasOnWire = wireWriter(quotaFields)

const none: UsageTotals = {
  runs: 0,
  failures: 0,
  promptTokens: 0,
  completionTokens: 0,
  cost: 0,
  activeMilliseconds: 0,
}
const countNames = Object.keys(none) as (keyof UsageTotals)[]

function sum(days: readonly UsageTotals[]): UsageTotals {
  const total = { ...none }
  for (const day of days) for (const name of countNames) total[name] += day[name]
  return total
}

/** A chart needs every day, also those without runs. */
function everyDay({ fromDay, toDay }: UsageRange, days: readonly UsageDay[]) {
  const counted = new Map(days.map(day => [day.day, day]))
  return Array.from({ length: toDay - fromDay + 1 }, (_, at) => ({
    date: dateOf(fromDay + at),
    ...countsOnWire(counted.get(fromDay + at) ?? none),
  }))
}

export function usageRoutes(
  usage: Pick<UsageStore, keyof UsageStore>,
  quotas: Pick<QuotaService, 'uses'>,
  clock: Clock,
): Route[] {
  return [
    route(operations.get, async ({ token, workspaceId, query }) => {
      const range = rangeOf(query, clock.now())
      const [days, agents, workflows] = await Promise.all([
        usage.days(workspaceId, range),
        usage.byAgent(workspaceId, range),
        usage.byWorkflow(workspaceId, range),
      ])
      return {
        from: dateOf(range.fromDay),
        to: dateOf(range.toDay),
        days: everyDay(range, days),
        totals: countsOnWire(sum(days)),
        by_agent: agents
          .slice(0, maxListed)
          .map(({ agentId, ...counts }) => ({ agent_id: agentId, ...countsOnWire(counts) })),
        by_workflow: workflows
          .slice(0, maxListed)
          .map(({ workflowId, ...counts }) => ({ workflow_id: workflowId, ...countsOnWire(counts) })),
        quotas: quotasOnWire(await quotas.uses(token)),
      }
    }),
  ]
}
