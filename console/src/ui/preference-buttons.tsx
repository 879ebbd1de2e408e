import { GlobalOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { ActionMenu } from './action-menu.tsx'
import { MoonIcon, SunIcon } from './icons.tsx'
import { setLanguage, setTheme, type Theme, useIsDark, useLanguage, useTheme } from './preferences.ts'
import { defineWords } from './words.ts'

const useWords = defineWords(
  {
    switchLanguage: '切换到中文',
    theme: 'Appearance',
    light: 'Light',
    dark: 'Dark',
    system: 'System',
  },
  { switchLanguage: 'EN: switch to English', theme: '外观', light: '浅色', dark: '深色', system: '跟随系统' },
)

/** Language and appearance. */
export function PreferenceButtons() {
  const words = useWords()
  const language = useLanguage()
  const theme = useTheme()
  const isDark = useIsDark()
  const themes: Theme[] = ['light', 'dark', 'system']
  return (
    <>
      <Button
        type="text"
        className="language-button"
        icon={<GlobalOutlined />}
        aria-label={words.switchLanguage}
        title={words.switchLanguage}
        onClick={() => setLanguage(language === 'zh' ? 'en' : 'zh')}
      >
        {language === 'zh' ? 'EN' : '中'}
      </Button>
      <ActionMenu
        menu={{
          items: themes.map(key => ({ key, label: words[key] })),
          selectedKeys: [theme],
          onClick: ({ key }) => setTheme(key as Theme),
        }}
      >
        <Button
          type="text"
          icon={isDark ? <MoonIcon /> : <SunIcon />}
          aria-label={words.theme}
          title={words.theme}
        />
      </ActionMenu>
    </>
  )
}
