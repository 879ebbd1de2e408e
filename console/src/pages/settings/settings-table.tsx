import { Checkbox, type TableColumnsType } from 'antd'
import { useState } from 'react'
import type { Setting } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { InlineCode } from '../../ui/inline-code.tsx'
import { ListSearch } from '../../ui/list-search.tsx'
import { ListTable } from '../../ui/list-table.tsx'
import { useLanguage } from '../../ui/preferences.ts'
import { chineseSettings } from '../../ui/server-texts/setting-texts.ts'
import { useSettingsWords } from './settings-words.ts'

function SettingValue({ setting }: { setting: Setting }) {
  const words = useSettingsWords()
  if (!setting.is_set) return <span className="soft">{words.notSet}</span>
  if (setting.is_secret || setting.value === null) return <Badge tone="good">{words.set}</Badge>
  return <code className="setting-value">{setting.value}</code>
}

function useColumns(): TableColumnsType<Setting> {
  const words = useSettingsWords()
  return [
    {
      title: words.name,
      dataIndex: 'name',
      width: '24%',
      sorter: (one, other) => one.name.localeCompare(other.name),
      render: (name: string) => <code className="setting-name">{name}</code>,
    },
    {
      title: words.value,
      key: 'value',
      width: '22%',
      sorter: (one, other) => Number(one.is_set) - Number(other.is_set),
      render: (_, setting) => <SettingValue setting={setting} />,
    },
    {
      title: words.default,
      dataIndex: 'default',
      width: '14%',
      render: (value: string | null) =>
        value === null ? (
          <span className="soft">{words.nothing}</span>
        ) : (
          <code className="setting-value">{value}</code>
        ),
    },
    { title: words.meaning, dataIndex: 'about', render: (about: string) => <InlineCode text={about} /> },
  ]
}

/** All settings of the server, searchable by name and description. */
export function SettingsTable({ settings }: { settings: Setting[] }) {
  const words = useSettingsWords()
  const [keyword, setKeyword] = useState('')
  const [onlySet, setOnlySet] = useState(false)
  const wanted = keyword.trim().toLowerCase()
  const language = useLanguage()
  const translated = settings.map(setting => ({
    ...setting,
    about: (language === 'zh' && chineseSettings[setting.name]) || setting.about,
  }))
  const shown = translated.filter(
    ({ name, about, is_set }) => (is_set || !onlySet) && `${name}\n${about}`.toLowerCase().includes(wanted),
  )
  return (
    <>
      <div className="settings-tools">
        <ListSearch label={words.search} value={keyword} onChange={setKeyword} />
        <Checkbox checked={onlySet} onChange={event => setOnlySet(event.target.checked)}>
          {words.onlySet}
        </Checkbox>
      </div>
      <ListTable rowKey="name" size="small" columns={useColumns()} dataSource={shown} pagination={false} />
    </>
  )
}
