import {
  ApiOutlined,
  AuditOutlined,
  BarChartOutlined,
  BookOutlined,
  FileOutlined,
  HomeOutlined,
  LockOutlined,
  LogoutOutlined,
  NodeIndexOutlined,
  PlayCircleOutlined,
  ReadOutlined,
  RobotOutlined,
  SearchOutlined,
  SettingOutlined,
  ThunderboltOutlined,
  ToolOutlined,
} from '@ant-design/icons'
import { Button, Tooltip } from 'antd'
import {
  Component,
  type ComponentType,
  type LazyExoticComponent,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { ApiFailure } from './api/api-failure.ts'
import { signOut } from './api/token.ts'
import { whenReachable } from './api/when-reachable.ts'
import { NotFoundPage } from './pages/not-found-page.tsx'
import type { PageProps } from './pages/page-props.ts'
import { useSession } from './session/use-session.ts'
import { WorkspaceSwitcher } from './session/workspace-switcher.tsx'
import { BanyanMark } from './ui/banyan-mark.tsx'
import { Failure, QueryFailure } from './ui/failure.tsx'
import { KeyIcon } from './ui/icons.tsx'
import { lazyPage, reloadIfReachable } from './ui/lazy-page.ts'
import { Loading } from './ui/loading.tsx'
import { offerFocus } from './ui/offer-focus.ts'
import { PreferenceButtons } from './ui/preference-buttons.tsx'
import { usePlace } from './ui/router.ts'
import { SourceSide } from './ui/source/source-side.tsx'
import { defineWords } from './ui/words.ts'
import './console-frame.css'

const useWords = defineWords(
  {
    skip: 'Skip to content',
    pages: 'Pages',
    '': 'Overview',
    workflows: 'Workflows',
    triggers: 'Triggers',
    runs: 'Runs',
    agents: 'Agents',
    knowledge: 'Knowledge',
    files: 'Files',
    models: 'Models',
    tools: 'Tools',
    secrets: 'Secrets',
    usage: 'Usage',
    tokens: 'Access tokens',
    audit: 'Audit log',
    settings: 'Settings',
    reference: 'API reference',
    signOut: 'Sign out',
    search: 'Search (Ctrl+K)',
    admin: 'Admin',
    editor: 'Editor',
    viewer: 'Viewer',
    runner: 'Runner',
  },
  {
    skip: '跳到正文',
    pages: '页面',
    '': '概览',
    workflows: '工作流',
    triggers: '触发器',
    runs: '运行记录',
    agents: '智能体',
    knowledge: '知识库',
    files: '文件',
    models: '模型',
    tools: '工具',
    secrets: '密钥',
    usage: '用量',
    tokens: '访问令牌',
    audit: '审计日志',
    settings: '设置',
    reference: 'API 参考',
    signOut: '退出登录',
    search: '搜索 (Ctrl+K)',
    admin: '管理员',
    editor: '编辑者',
    viewer: '查看者',
    runner: '运行者',
  },
)

type PageName =
  | ''
  | 'workflows'
  | 'triggers'
  | 'runs'
  | 'agents'
  | 'knowledge'
  | 'files'
  | 'models'
  | 'tools'
  | 'secrets'
  | 'usage'
  | 'tokens'
  | 'audit'
  | 'settings'

const pages: { name: PageName; icon: ReactNode; admin?: true }[] = [
  { name: '', icon: <HomeOutlined /> },
  { name: 'agents', icon: <RobotOutlined /> },
  { name: 'workflows', icon: <NodeIndexOutlined /> },
  { name: 'knowledge', icon: <BookOutlined /> },
  { name: 'tools', icon: <ToolOutlined /> },
  { name: 'triggers', icon: <ThunderboltOutlined /> },
  { name: 'runs', icon: <PlayCircleOutlined /> },
  { name: 'files', icon: <FileOutlined /> },
  { name: 'models', icon: <ApiOutlined /> },
  { name: 'secrets', icon: <LockOutlined /> },
  { name: 'usage', icon: <BarChartOutlined /> },
  { name: 'tokens', icon: <KeyIcon />, admin: true },
  { name: 'audit', icon: <AuditOutlined />, admin: true },
  { name: 'settings', icon: <SettingOutlined /> },
]

/** The pages for which the server responds to a runner, whose token is for programs. */
const runnerPages: readonly PageName[] = ['', 'runs', 'settings']

const isKeptFromRunners = (name: string): boolean =>
  pages.some(page => page.name === name) && !runnerPages.some(page => page === name)

const overview = { segments: [], query: new URLSearchParams() }

/** A new page starts at the top, for scrolling, keyboard and screen reader alike. */
function useBeginAtTop(path: string) {
  const main = useRef<HTMLElement>(null)
  const shown = useRef<string>(undefined)
  // Runs before the page's own effects, which may scroll further down.
  useLayoutEffect(() => {
    if (!main.current) return
    const isOther = shown.current !== undefined && shown.current !== path
    shown.current = path
    if (!isOther) return
    main.current.scrollTop = 0
    // If the focused element still exists, such as a tab or a field of the new page, it keeps the focus.
    if (!main.current.contains(document.activeElement)) offerFocus(main.current)
  })
  return main
}

// Without its chunk, which an updated server no longer has, there is nothing to show.
const CommandPalette = lazy(() =>
  import('./pages/palette/command-palette.tsx').catch(() => ({ default: () => null })),
)

/** Opens on Ctrl+K or ⌘K, wherever the focus is, and closes when another page is shown, as by the browser's Back. */
function usePalette(path: string) {
  const [isOpen, setIsOpen] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes it
  useEffect(() => setIsOpen(false), [path])
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      if (event.key.toLowerCase() !== 'k') return
      event.preventDefault()
      setIsOpen(before => !before)
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  return { isOpen, setIsOpen }
}

/** The frame around all pages: navigation and the current user. */
export function ConsoleFrame() {
  const words = useWords()
  const place = usePlace()
  const session = useSession()
  const path = place.segments.join('/')
  const main = useBeginAtTop(path)
  const palette = usePalette(path)
  if (!session.data) return session.isError ? <QueryFailure query={session} /> : <Loading />
  const { role, name, workspace_name } = session.data
  const here = place.segments[0] ?? ''
  // An open workflow needs the space for its canvas.
  const isNarrow = here === 'workflows' && place.segments.length > 1 && place.segments[2] !== 'tests'
  // Some pages have many controls before their main content.
  const skip = (): void =>
    (document.querySelector<HTMLElement>('[data-skip-target]') ?? document.getElementById('main'))?.focus()
  const shown = pages.filter(page =>
    role === 'runner' ? runnerPages.includes(page.name) : !page.admin || role === 'admin',
  )
  return (
    <div className={isNarrow ? 'frame narrow' : 'frame'}>
      <button type="button" className="skip" onClick={skip}>
        {words.skip}
      </button>
      <header className="frame-side">
        <a className="brand" href="#/" aria-label="Banyan">
          <BanyanMark />
          <span className="wide">Banyan</span>
        </a>
        <nav aria-label={words.pages}>
          {shown.map(page => (
            <a
              key={page.name}
              href={`#/${page.name}`}
              title={words[page.name]}
              aria-current={here === page.name ? 'page' : undefined}
            >
              <span aria-hidden="true">{page.icon}</span>
              <span className="wide">{words[page.name]}</span>
            </a>
          ))}
          <a href="/docs" target="_blank" rel="noreferrer" title={words.reference}>
            <span aria-hidden="true">
              <ReadOutlined />
            </span>
            <span className="wide">{words.reference}</span>
          </a>
        </nav>
        <div className="frame-foot">
          <div className="wide soft small who" title={`${workspace_name} · ${name}`}>
            {workspace_name} · {name} · {words[role]}
          </div>
          <div className="frame-buttons">
            <Tooltip title={words.search}>
              <Button
                type="text"
                icon={<SearchOutlined />}
                aria-label={words.search}
                onClick={() => palette.setIsOpen(true)}
              />
            </Tooltip>
            <WorkspaceSwitcher />
            <PreferenceButtons />
            <Tooltip title={words.signOut}>
              <Button type="text" icon={<LogoutOutlined />} aria-label={words.signOut} onClick={signOut} />
            </Tooltip>
          </div>
        </div>
      </header>
      <main ref={main} id="main" className="frame-main" tabIndex={-1}>
        <PageBoundary key={here}>
          {/* The overview explains to runners why there is nothing else. */}
          <Suspense fallback={<Loading />}>
            {pageAt(role === 'runner' && isKeptFromRunners(here) ? overview : place)}
          </Suspense>
        </PageBoundary>
      </main>
      <SourceSide path={place.segments.join('/')} />
      {palette.isOpen && (
        <Suspense>
          <CommandPalette
            pages={shown.map(({ name }) => ({ name, title: words[name] }))}
            onClose={() => palette.setIsOpen(false)}
          />
        </Suspense>
      )}
    </div>
  )
}

type Module = { [name: string]: ComponentType<PageProps> }

const page = (load: () => Promise<Module>) => lazyPage(async () => Object.values(await load())[0]!)

const pageComponents: Readonly<Record<string, LazyExoticComponent<ComponentType<PageProps>>>> = {
  '': page(() => import('./pages/overview/overview-page.tsx')),
  workflows: page(() => import('./pages/workflows/workflow-pages.tsx')),
  triggers: page(() => import('./pages/triggers/trigger-pages.tsx')),
  runs: page(() => import('./pages/runs/run-pages.tsx')),
  agents: page(() => import('./pages/agents/agent-pages.tsx')),
  knowledge: page(() => import('./pages/knowledge/knowledge-pages.tsx')),
  files: page(() => import('./pages/files/files-page.tsx')),
  models: page(() => import('./pages/models/models-page.tsx')),
  tools: page(() => import('./pages/tools/tools-page.tsx')),
  secrets: page(() => import('./pages/secrets/secrets-page.tsx')),
  usage: page(() => import('./pages/usage/usage-page.tsx')),
  tokens: page(() => import('./pages/tokens/tokens-page.tsx')),
  audit: page(() => import('./pages/audit/audit-page.tsx')),
  settings: page(() => import('./pages/settings/settings-page.tsx')),
}

/** The page of a location. */
function pageAt({ segments, query }: PageProps): ReactNode {
  const [name = '', ...rest] = segments
  const Found = Object.hasOwn(pageComponents, name) ? pageComponents[name] : undefined
  return Found ? <Found segments={rest} query={query} /> : <NotFoundPage />
}

/** Keeps an error in one page from breaking the whole console. */
class PageBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined }
  #stopWaiting: (() => void) | undefined

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override componentDidCatch(error: unknown): void {
    if (!(error instanceof ApiFailure)) return
    void reloadIfReachable()
    this.#stopWaiting = whenReachable(() => void reloadIfReachable())
  }

  override componentWillUnmount(): void {
    this.#stopWaiting?.()
  }

  override render() {
    if (this.state.error === undefined) return this.props.children
    return <Failure error={this.state.error} onRetry={() => window.location.reload()} />
  }
}
