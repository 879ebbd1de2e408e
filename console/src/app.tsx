import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { App as AntApp, ConfigProvider, theme } from 'antd'
import english from 'antd/locale/en_US'
import chinese from 'antd/locale/zh_CN'
import { useEffect } from 'react'
import { isUnreachable } from './api/api-failure.ts'
import { onSignedOut, onTokenChange, readToken } from './api/token.ts'
import { whenReachable } from './api/when-reachable.ts'
import { ConsoleFrame } from './console-frame.tsx'
import { forgetAllDrafts } from './editor/saving/draft.ts'
import { OfferedToken, SignInAgain, SignInPage } from './session/sign-in.tsx'
import { useHolder, useSession } from './session/use-session.ts'
import { WorkspaceSwitcher } from './session/workspace-switcher.tsx'
import { useIsDark, useLanguage, useReducedMotion } from './ui/preferences.ts'

let isWaiting = false

/** What a page could not load is loaded as soon as the server answers again. */
function loadWhenReachable(error: unknown): void {
  // Queries that fail again and again, such as those that poll, must not put the next check off.
  if (isWaiting || !isUnreachable(error)) return
  isWaiting = true
  whenReachable(() => {
    isWaiting = false
    void queries.refetchQueries({ type: 'active', predicate: ({ state }) => isUnreachable(state.error) })
  })
}

const queries = new QueryClient({
  queryCache: new QueryCache({ onError: loadWhenReachable }),
  defaultOptions: {
    queries: {
      // Browsers report "offline" also when the server is on the same machine or in the same building.
      networkMode: 'always',
      refetchOnReconnect: true,
      // Rejected requests fail again; requests that did not reach the server may succeed on retry.
      retry: (count, error) => isUnreachable(error) && count < 3,
      staleTime: 5_000,
    },
    // An action must not be repeated later, when the user has left the page.
    mutations: { networkMode: 'always' },
  },
})

// The next user must not see the previous user's data.
onSignedOut(() => queries.clear())

// Another token of the same workspace may have different permissions.
let token = readToken()
onTokenChange(() => {
  if (token !== readToken()) void queries.invalidateQueries()
  token = readToken()
})

export function App() {
  const language = useLanguage()
  const isDark = useIsDark()
  const isMotionReduced = useReducedMotion()
  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-Hans' : 'en'
    document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light'
  }, [language, isDark])
  return (
    <ConfigProvider
      locale={language === 'zh' ? chinese : english}
      button={{ autoInsertSpace: false }}
      // Otherwise the focus stays on the button that submits the form.
      form={{ scrollToFirstError: { focus: true } }}
      // A stray click beside a dialog must not discard what was typed into it.
      modal={{ mask: { closable: false } }}
      // Otherwise a dialog without animations is filled before it is in the page, and no field of it gets the focus.
      getPopupContainer={() => document.body}
      theme={{
        algorithm: isDark ? theme.darkAlgorithm : theme.defaultAlgorithm,
        token: { ...tokensOf(isDark), motion: !isMotionReduced },
        components: {
          Table: {
            headerBg: 'transparent',
            headerSplitColor: 'transparent',
            headerColor: isDark ? '#a1aea6' : '#56625b',
            headerSortActiveBg: 'transparent',
            headerSortHoverBg: isDark ? '#1d2722' : '#f3f1ea',
            bodySortBg: 'transparent',
            cellPaddingBlock: 12,
          },
          // White text has too little contrast on the light green and red of the dark theme.
          ...(isDark && {
            Button: { primaryColor: '#0d1310', dangerColor: '#0d1310' },
            Tabs: { itemSelectedColor: '#86cfa8' },
          }),
        },
      }}
    >
      {/* Also around the dialogs, which call the server. */}
      <QueryClientProvider client={queries}>
        <AntApp>
          <ConsoleOrSignIn />
        </AntApp>
      </QueryClientProvider>
    </ConfigProvider>
  )
}

/** The console for signed-in users, the sign-in page otherwise. */
function ConsoleOrSignIn() {
  const { token, isRefused, number } = useHolder()
  const { data: session } = useSession()
  useEffect(() => {
    // The next user of this browser must not find drafts. They are removed only now, because an editor stores its last
    // edits when it closes.
    if (number > 0) forgetAllDrafts()
  }, [number])
  if (token === undefined) return <SignInPage />
  return (
    <>
      {isRefused && !session ? (
        <SignInPage isRefused others={<WorkspaceSwitcher />} />
      ) : (
        <ConsoleFrame key={number} />
      )}
      {isRefused && session && <SignInAgain workspace={session.workspace_name} />}
      <OfferedToken />
    </>
  )
}

/** Colours of Ant Design's components; base.css has the same for everything else. Text keeps a contrast of 4.5. */
const tokensOf = (isDark: boolean) => ({
  fontFamily: 'var(--sans)',
  fontFamilyCode: 'var(--mono)',
  borderRadius: 8,
  motionDurationMid: '0.12s',
  motionDurationSlow: '0.18s',
  ...(isDark
    ? {
        colorPrimary: '#4fa67c',
        colorInfo: '#4fa67c',
        colorLink: '#86cfa8',
        colorBgLayout: '#121815',
        colorBgContainer: '#18201c',
        colorBgElevated: '#1d2722',
        colorBorderSecondary: '#2b3730',
        colorTextPlaceholder: '#8b978f',
        colorTextDescription: '#a1aea6',
        colorTextTertiary: '#a1aea6',
        colorError: '#ff8f85',
        colorSuccess: '#4fa67c',
      }
    : {
        colorPrimary: '#2c6e4f',
        colorInfo: '#2c6e4f',
        colorLink: '#2c6e4f',
        colorBgLayout: '#fbfaf6',
        colorBorderSecondary: '#e2ded2',
        colorTextPlaceholder: '#6b766f',
        colorTextDescription: '#56625b',
        colorTextTertiary: '#56625b',
        colorError: '#c9302c',
        // Darker instead of lighter, so that white text stays readable.
        colorErrorHover: '#b3261e',
        colorErrorBg: '#fbe9e7',
        colorSuccess: '#2c7a3f',
        // The colours that Ant Design derives from these dark ones are too dark for text.
        colorSuccessBg: '#e4efe7',
        colorInfoBg: '#e4efe7',
        colorPrimaryBg: '#e4efe7',
        colorPrimaryBgHover: '#d6e7dc',
        controlItemBgActive: '#e4efe7',
        controlItemBgActiveHover: '#d6e7dc',
      }),
})
