import { Form, InputNumber, Radio, Select } from 'antd'
import { defineWords } from '../../ui/words.ts'
import type { SettingsForm } from './settings-form.ts'

const useWords = defineWords(
  {
    strategy: 'Chunking',
    auto: 'Automatic',
    autoHint: 'Follows the structure of each document; short sections are merged.',
    heading: 'By heading',
    headingHint: 'Each section becomes a passage.',
    paragraph: 'By paragraph',
    paragraphHint: 'For text without headings, such as letters.',
    qa: 'Questions and answers',
    qaHint: 'Each row of a question-and-answer table becomes a passage.',
    size: 'Max passage length (tokens)',
    sizeHint: '100 to 4000. Short passages are more precise, long ones keep more context.',
    overlap: 'Overlap (tokens)',
    overlapHint: 'How much a passage repeats from the previous one; at most half its length.',
    tooMuch: 'At most half the max passage length',
    separators: 'Separators',
    separatorsHint: 'Custom separators, such as \\n\\n or ###, in order of priority. Usually not needed.',
  },
  {
    strategy: '切分方式',
    auto: '自动',
    autoHint: '按文档自身的结构切分，较短的小节会合并。',
    heading: '按标题',
    headingHint: '每个小节成为一个段落。',
    paragraph: '按段落',
    paragraphHint: '适合没有标题的文本，例如信件。',
    qa: '问答',
    qaHint: '问答表格的每一行成为一个段落。',
    size: '段落最大长度（token）',
    sizeHint: '100 到 4000。越短越精确，越长上下文越完整。',
    overlap: '重叠长度（token）',
    overlapHint: '与前一段落重复的部分，最多为段落长度的一半。',
    tooMuch: '最多为段落最大长度的一半',
    separators: '分隔符',
    separatorsHint: '自定义分隔符，例如 \\n\\n 或 ###，优先级高的写在前面。通常不需要。',
  },
)

const strategies = ['auto', 'heading', 'paragraph', 'qa'] as const

/** How documents are split into chunks. */
export function ChunkingFields() {
  const words = useWords()
  const form = Form.useFormInstance<SettingsForm>()
  const checkOverlap = async (_: unknown, overlap: number): Promise<void> => {
    if (overlap * 2 > form.getFieldValue(['chunking', 'size'])) throw new Error(words.tooMuch)
  }
  return (
    <>
      <Form.Item name={['chunking', 'strategy']} label={words.strategy}>
        <Radio.Group className="kb-choices" aria-label={words.strategy}>
          {strategies.map(name => (
            <Radio key={name} value={name}>
              {words[name]} <span className="soft small">{words[`${name}Hint`]}</span>
            </Radio>
          ))}
        </Radio.Group>
      </Form.Item>
      <div className="kb-field-pair">
        <Form.Item name={['chunking', 'size']} label={words.size} extra={words.sizeHint}>
          <InputNumber min={100} max={4000} precision={0} />
        </Form.Item>
        <Form.Item
          name={['chunking', 'overlap']}
          label={words.overlap}
          extra={words.overlapHint}
          dependencies={[['chunking', 'size']]}
          rules={[{ validator: checkOverlap }]}
        >
          <InputNumber min={0} max={500} precision={0} />
        </Form.Item>
      </div>
      <Form.Item name={['chunking', 'separators']} label={words.separators} extra={words.separatorsHint}>
        <Select mode="tags" open={false} suffixIcon={null} maxCount={20} aria-label={words.separators} />
      </Form.Item>
    </>
  )
}
