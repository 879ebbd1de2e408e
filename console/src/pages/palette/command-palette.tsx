import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Input } from 'antd'
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { call } from '../../api/call.ts'
import { AgentMark } from '../../ui/agent-mark.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { setLanguage, setTheme, useIsDark, useLanguage } from '../../ui/preferences.ts'
import { navigate, pathTo } from '../../ui/router.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import { defineWords } from '../../ui/words.ts'
import './command-palette.css'

const useWords = defineWords(
  {
    title: 'Go to or do…',
    placeholder: 'Search pages, agents, workflows, knowledge bases, tools and actions',
    results: 'Results',
    none: 'No matches',
    page: 'Page',
    agent: 'Agent',
    workflow: 'Workflow',
    base: 'Knowledge base',
    tool: 'Tool',
    action: 'Action',
    theme: (isDark: boolean): string => (isDark ? 'Use the light theme' : 'Use the dark theme'),
    language: 'Switch to Chinese (中文)',
  },
  {
    title: '前往或执行…',
    placeholder: '搜索页面、智能体、工作流、知识库、工具和操作',
    results: '结果',
    none: '没有匹配项',
    page: '页面',
    agent: '智能体',
    workflow: '工作流',
    base: '知识库',
    tool: '工具',
    action: '操作',
    theme: (isDark: boolean): string => (isDark ? '切换到浅色主题' : '切换到深色主题'),
    language: '切换到英文 (English)',
  },
)

interface Command {
  key: string
  kind: 'page' | 'agent' | 'workflow' | 'base' | 'tool' | 'action'
  name: string
  mark?: ReactNode
  run: () => void
}

const perKind = 5

interface CommandPaletteProps {
  pages: readonly { name: string; title: string }[]
  onClose: () => void
}

/** Finds pages, objects by name, and actions, by keyboard. */
export default function CommandPalette({ pages, onClose }: CommandPaletteProps): ReactNode {
  const words = useWords()
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState(0)
  const listId = useId()
  const commands = useCommands(pages, typed.trim())
  const at = Math.min(active, commands.length - 1)
  const choose = (command: Command | undefined): void => {
    if (!command) return
    onClose()
    command.run()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (commands.length === 0) return
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined) setActive((at + step + commands.length) % commands.length)
    else if (event.key === 'Enter') choose(commands[at])
    else return
    event.preventDefault()
  }
  return (
    <Dialog
      open
      title={words.title}
      footer={null}
      mask={{ closable: true }}
      onCancel={onClose}
      width={620}
      style={{ top: 80 }}
    >
      <Input
        autoFocus
        size="large"
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={commands[at] && `${listId}-${at}`}
        aria-label={words.placeholder}
        placeholder={words.placeholder}
        value={typed}
        onChange={event => {
          setTyped(event.target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" aria-label={words.results} className="commands">
        {commands.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
          <div
            key={command.key}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === at}
            ref={index === at ? scrollIntoView : undefined}
            className="command"
            onMouseMove={() => setActive(index)}
            onClick={() => choose(command)}
          >
            <span>
              {command.mark}
              {command.name}
            </span>
            <span className="soft small">{words[command.kind]}</span>
          </div>
        ))}
      </div>
      {commands.length === 0 && <p className="soft">{words.none}</p>}
    </Dialog>
  )
}

const scrollIntoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' })

function useCommands(pages: CommandPaletteProps['pages'], typed: string): Command[] {
  const words = useWords()
  const isDark = useIsDark()
  const language = useLanguage()
  const found = useFound(useDebounced(typed))
  const matches = ({ name }: Command): boolean =>
    typed.split(/\s+/).every(part => name.toLowerCase().includes(part.toLowerCase()))
  const fixed: Command[] = [
    ...pages.map(({ name, title }) => ({
      ...{ key: `page:${name}`, kind: 'page' as const, name: title },
      run: () => navigate(`#/${name}`),
    })),
    {
      ...{ key: 'theme', kind: 'action', name: words.theme(isDark) },
      run: () => setTheme(isDark ? 'light' : 'dark'),
    },
    {
      ...{ key: 'language', kind: 'action', name: words.language },
      run: () => setLanguage(language === 'zh' ? 'en' : 'zh'),
    },
  ]
  return [...fixed.filter(matches), ...found]
}

/** Agents, workflows, knowledge bases and tools by name; a list that the role may not read is left out. */
function useFound(keyword: string): Command[] {
  const { data = [] } = useQuery({
    queryKey: ['palette', keyword],
    queryFn: async ({ signal }): Promise<Command[]> => {
      const request = { body: { keyword, page: 1, page_size: perKind }, signal }
      const [agents, workflows, bases, tools] = await Promise.all([
        call('POST /api/v1/agent/list', request).catch(() => undefined),
        call('POST /api/v1/workflow/list', request).catch(() => undefined),
        call('POST /api/v1/knowledge', request).catch(() => undefined),
        call('POST /api/v1/tool/list', request).catch(() => undefined),
      ])
      const to = (kind: Command['kind'], id: string, name: string, ...path: string[]): Command => ({
        ...{ key: `${kind}:${id}`, kind, name: name || id },
        run: () => navigate(pathTo(...path)),
      })
      return [
        ...(agents?.items ?? []).map(({ id, name, config }) => ({
          ...to('agent', id, name, 'agents', id, 'chat'),
          mark: <AgentMark name={name} avatar={config.avatar} size="small" />,
        })),
        ...(workflows?.items ?? []).map(({ id, name }) => to('workflow', id, name, 'workflows', id)),
        ...(bases?.items ?? []).map(({ knowledge_id: id, name }) => to('base', id, name, 'knowledge', id)),
        ...(tools?.items ?? []).map(({ id, name }) => to('tool', id, name, 'tools', id)),
      ]
    },
    enabled: keyword !== '',
    placeholderData: keepPreviousData,
  })
  return keyword === '' ? [] : data
}
