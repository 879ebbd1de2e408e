import { call } from '../../api/call.ts'
import { ImportDialog } from '../../ui/import-dialog.tsx'
import { defineWords } from '../../ui/words.ts'
import { useRefreshTests } from './test-set-data.ts'

const useWords = defineWords(
  {
    title: 'Import test cases',
    about:
      'Columns or fields: question, expected, check (contains, equals, regex, json_schema or judge; default: contains) and name. Every other column is an input of the run.',
    done: (count: number) => (count === 1 ? '1 case was added.' : `${count} cases were added.`),
  },
  {
    title: '导入测试用例',
    about:
      '列或字段：question（问题）、expected（期望内容）、check（contains、equals、regex、json_schema 或 judge，默认 contains）和 name（名称）。其他列都作为运行的输入。',
    done: (count: number) => `已添加 ${count} 个用例。`,
  },
)

/** Adds the cases of a file or a pasted text. */
export function ImportCases({ setId, onClose }: { setId: string; onClose(): void }) {
  const words = useWords()
  return (
    <ImportDialog
      {...words}
      name="import-cases"
      placeholder={'question,expected\nHow many days of leave?,20 days'}
      send={fields => call('POST /api/v1/test/importCases', { body: { id: setId, ...fields } })}
      onImported={useRefreshTests()}
      onClose={onClose}
    />
  )
}
