import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { App as AntApp, ConfigProvider, theme } from 'antd'
import english from 'antd/locale/en_US'
import chinese from 'antd/locale/zh_CN'
import { useEffect } from 'react'
import { ApiFailure } from './api/api-failure.ts'
import { onSignedOut, onTokenChange, readToken } from './api/token.ts'
import { ConsoleOrSignIn } from './console-or-sign-in.tsx'
import { useIsDark, useLanguage } from './ui/preferences.ts'
import { tokensOf } from './ui/theme-tokens.ts'

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // What the server refused it refuses again; what did not reach it may reach it the next time.
      retry: (count, error) => error instanceof ApiFailure && error.reason === 'unreachable' && count < 3,
      staleTime: 5_000,
    },
  },
})

// What one person was shown is nothing for the next.
onSignedOut(() => queries.clear())

// Another token of the same workspace may be allowed more or less.
let token = readToken()
onTokenChange(() => {
  if (token !== readToken()) void queries.invalidateQueries()
  token = readToken()
})

export function App() {
  const language = useLanguage()
  const isDark = useIsDark()
  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-Hans' : 'en'
    document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light'
  }, [language, isDark])
  return (
    <ConfigProvider
      locale={language === 'zh' ? chinese : english}
      button={{ autoInsertSpace: false }}
      theme={{
        algorithm: isDark ? theme.darkAlgorithm : theme.defaultAlgorithm,
        token: tokensOf(isDark),
        // On the light green and red of the dark look white is too pale to be read.
        ...(isDark && {
          components: {
            Button: { primaryColor: '#0d1310', dangerColor: '#0d1310' },
            Tabs: { itemSelectedColor: '#86cfa8' },
          },
        }),
      }}
    >
      <AntApp>
        <QueryClientProvider client={queries}>
          <ConsoleOrSignIn />
        </QueryClientProvider>
      </AntApp>
    </ConfigProvider>
  )
}
