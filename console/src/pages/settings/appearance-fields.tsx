import { Radio } from 'antd'
import {
  type Language,
  setLanguage,
  setTheme,
  type Theme,
  useLanguage,
  useTheme,
} from '../../ui/preferences.ts'
import { useSettingsWords } from './settings-words.ts'

const themes: readonly Theme[] = ['light', 'dark', 'system']
// Each language is named in itself, for those who do not read the other.
const languages: { value: Language; label: string }[] = [
  { value: 'en', label: 'English' },
  { value: 'zh', label: '中文' },
]

export function AppearanceFields() {
  const words = useSettingsWords()
  return (
    <div className="appearance">
      <div>
        <div className="soft">{words.language}</div>
        <Radio.Group
          optionType="button"
          aria-label={words.language}
          options={languages}
          value={useLanguage()}
          onChange={event => setLanguage(event.target.value as Language)}
        />
      </div>
      <div>
        <div className="soft">{words.appearance}</div>
        <Radio.Group
          optionType="button"
          aria-label={words.appearance}
          options={themes.map(value => ({ value, label: words[value] }))}
          value={useTheme()}
          onChange={event => setTheme(event.target.value as Theme)}
        />
      </div>
    </div>
  )
}
