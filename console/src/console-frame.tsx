import {
  ApiOutlined,
  BarChartOutlined,
  BookOutlined,
  FileOutlined,
  HomeOutlined,
  KeyOutlined,
  LogoutOutlined,
  NodeIndexOutlined,
  PlayCircleOutlined,
  ReadOutlined,
  RobotOutlined,
  SettingOutlined,
} from '@ant-design/icons'
import { Button, Tooltip } from 'antd'
import { type ReactNode, Suspense, useLayoutEffect, useRef } from 'react'
import { signOut } from './api/token.ts'
import { pageAt } from './pages/page-at.tsx'
import { useSession } from './session/use-session.ts'
import { BanyanMark } from './ui/banyan-mark.tsx'
import { Failure } from './ui/failure.tsx'
import { Loading } from './ui/loading.tsx'
import { PageBoundary } from './ui/page-boundary.tsx'
import { PreferenceButtons } from './ui/preference-buttons.tsx'
import { usePlace } from './ui/router.ts'
import { defineWords } from './ui/words.ts'
import './console-frame.css'

const useWords = defineWords(
  {
    skip: 'Skip to content',
    pages: 'Pages',
    '': 'Overview',
    workflows: 'Workflows',
    runs: 'Runs',
    agents: 'Agents',
    knowledge: 'Knowledge',
    files: 'Files',
    models: 'Models',
    usage: 'Usage',
    tokens: 'Access tokens',
    settings: 'Settings',
    reference: 'API reference',
    signOut: 'Sign out',
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
    runs: '运行记录',
    agents: '智能体',
    knowledge: '知识库',
    files: '文件',
    models: '模型',
    usage: '用量',
    tokens: '访问令牌',
    settings: '设置',
    reference: 'API 参考',
    signOut: '退出登录',
    admin: '管理员',
    editor: '编辑者',
    viewer: '查看者',
    runner: '运行者',
  },
)

type PageName =
  | ''
  | 'workflows'
  | 'runs'
  | 'agents'
  | 'knowledge'
  | 'files'
  | 'models'
  | 'usage'
  | 'tokens'
  | 'settings'

const pages: { name: PageName; icon: ReactNode; admin?: true }[] = [
  { name: '', icon: <HomeOutlined /> },
  { name: 'agents', icon: <RobotOutlined /> },
  { name: 'workflows', icon: <NodeIndexOutlined /> },
  { name: 'knowledge', icon: <BookOutlined /> },
  { name: 'runs', icon: <PlayCircleOutlined /> },
  { name: 'files', icon: <FileOutlined /> },
  { name: 'models', icon: <ApiOutlined /> },
  { name: 'usage', icon: <BarChartOutlined /> },
  { name: 'tokens', icon: <KeyOutlined />, admin: true },
  { name: 'settings', icon: <SettingOutlined /> },
]

/** Another page begins at its top, and whoever uses the keyboard or listens begins there too. */
function useBeginAtTop(path: string) {
  const main = useRef<HTMLElement>(null)
  const shown = useRef<string>(undefined)
  // Before the page's own effects, which may lead to a place further down.
  useLayoutEffect(() => {
    if (!main.current) return
    const isOther = shown.current !== undefined && shown.current !== path
    shown.current = path
    if (!isOther) return
    main.current.scrollTop = 0
    // What has the focus and is still there, such as a tab or a field of the new page, keeps it.
    if (!main.current.contains(document.activeElement)) main.current.focus({ preventScroll: true })
  })
  return main
}

/** The console around its pages: where one can go, who one is. */
export function ConsoleFrame() {
  const words = useWords()
  const place = usePlace()
  const session = useSession()
  const main = useBeginAtTop(place.segments.join('/'))
  if (!session.data)
    return session.isError ? <Failure error={session.error} onRetry={() => session.refetch()} /> : <Loading />
  const { role, name, workspace_name } = session.data
  const here = place.segments[0] ?? ''
  // An open workflow needs the room for its canvas.
  const isNarrow = here === 'workflows' && place.segments.length > 1
  const shown = pages.filter(page => !page.admin || role === 'admin')
  return (
    <div className={isNarrow ? 'frame narrow' : 'frame'}>
      <button type="button" className="skip" onClick={() => document.getElementById('main')?.focus()}>
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
            <ReadOutlined />
            <span className="wide">{words.reference}</span>
          </a>
        </nav>
        <div className="frame-foot">
          <div className="wide soft small who" title={`${workspace_name} · ${name}`}>
            {workspace_name} · {name} · {words[role]}
          </div>
          <div className="frame-buttons">
            <PreferenceButtons />
            <Tooltip title={words.signOut}>
              <Button type="text" icon={<LogoutOutlined />} aria-label={words.signOut} onClick={signOut} />
            </Tooltip>
          </div>
        </div>
      </header>
      <main ref={main} id="main" className="frame-main" tabIndex={-1}>
        <PageBoundary key={here}>
          <Suspense fallback={<Loading />}>{pageAt(place)}</Suspense>
        </PageBoundary>
      </main>
    </div>
  )
}
