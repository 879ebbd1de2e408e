import { useMutation, useQueryClient } from '@tanstack/react-query'
import { App } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { CallData, CallInput } from '../../api/operations.ts'
import { allKey } from '../../api/queries.ts'
import { useFailureWords } from '../../ui/failure.tsx'
import { joinSentences } from '../../ui/server-texts/message-facts.ts'
import { useRefreshTools } from '../../ui/tools/use-tools.ts'
import { defineWords } from '../../ui/words.ts'

type Imported = CallData<'POST /api/v1/tool/import'>
type NewTool = CallInput<'POST /api/v1/tool/create'>['body']

interface Row {
  tool: Imported['tools'][number]
  name: string
  isChosen: boolean
}

interface Failed {
  name: string
  reason: string
}

const useWords = defineWords(
  { created: (count: number) => (count === 1 ? '1 tool created' : `${count} tools created`) },
  { created: (count: number) => `已创建 ${count} 个工具` },
)

/** Nothing is preselected if there are more operations than a model can be offered. */
const maxPreselected = 20

/** The server's limit. */
const minSecretLength = 8

function freeName(name: string, taken: readonly string[]): string {
  let free = name
  for (let number = 2; taken.includes(free); number++) free = `${name.slice(0, 60)}_${number}`
  return free
}

/** The tools of an import to choose from, the values of their secrets, and how they are created. */
export function useImport(imported: Imported, taken: readonly string[], onDone: () => void) {
  const words = useWords()
  const { message } = App.useApp()
  const refreshTools = useRefreshTools()
  const queries = useQueryClient()
  const wordsOf = useFailureWords()
  const reasonOf = (error: unknown): string => {
    const { title, details } = wordsOf(error)
    return joinSentences([title, ...details])
  }
  const [rows, setRows] = useState<Row[]>(() =>
    imported.tools.map(tool => ({
      ...{ tool, name: freeName(tool.name, taken), isChosen: imported.tools.length <= maxPreselected },
    })),
  )
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(imported.secrets.map(({ name, value }) => [name, value])),
  )
  const [failures, setFailures] = useState<Failed[]>([])
  const chosen = rows.filter(row => row.isChosen)
  const used = JSON.stringify(chosen.map(({ tool }) => [tool.url, tool.headers]))
  /** The value of a secret to store; empty if there is none, or no chosen tool uses it. */
  const newValueOf = (name: string): string =>
    used.includes(`secret.${name}#`) ? (values[name]?.trim() ?? '') : ''
  const create = useMutation({
    mutationFn: async () => {
      const failed: Failed[] = []
      const created = new Set<Row>()
      for (const { name } of imported.secrets) {
        const value = newValueOf(name)
        if (value !== '') await call('POST /api/v1/secret/set', { body: { name, value } })
      }
      for (const row of chosen) {
        const { notes: _, method, ...tool } = row.tool
        const body = {
          ...tool,
          method: method as NonNullable<NewTool['method']>,
          type: 'http',
          name: row.name,
        } as const
        try {
          await call('POST /api/v1/tool/create', { body })
          created.add(row)
        } catch (error) {
          failed.push({ name: row.name, reason: reasonOf(error) })
        }
      }
      return { created, failed }
    },
    onSuccess: async ({ created, failed }) => {
      await Promise.all([
        refreshTools(),
        queries.invalidateQueries({ queryKey: allKey('POST /api/v1/secret/list') }),
      ])
      if (created.size > 0) message.success(words.created(created.size))
      if (failed.length === 0) return onDone()
      setFailures(failed)
      setRows(rows.filter(row => !created.has(row)))
    },
  })
  return {
    ...{ rows, values, failures, create },
    isShort: (name: string) => newValueOf(name) !== '' && newValueOf(name).length < minSecretLength,
    edit: (change: (row: Row, at: number) => Partial<Row>) =>
      setRows(rows.map((row, at) => ({ ...row, ...change(row, at) }))),
    setValue: (name: string, value: string) => setValues({ ...values, [name]: value }),
  }
}
