import { pathTo } from '../../../ui/router.ts'
import { defineWords } from '../../../ui/words.ts'
import { FieldGroup } from './field.tsx'
import { KnowledgeSelect } from './knowledge-select.tsx'
import type { PartProps } from './part-props.ts'

const useWords = defineWords(
  {
    title: 'Knowledge',
    about:
      'Before it answers, the agent searches these knowledge bases for relevant passages. The answer cites them as [1].',
    bases: 'Knowledge bases',
    choose: 'Choose knowledge bases',
    make: 'Create a knowledge base',
  },
  {
    title: '知识',
    about: '回答之前，会用用户的问题检索相关段落；回答中以 [1] 的形式标注来源。',
    bases: '知识库',
    choose: '选择知识库',
    make: '新建知识库',
  },
)

export function KnowledgeFields({ draft, edit, isDisabled }: PartProps) {
  const words = useWords()
  return (
    <FieldGroup title={words.title} about={words.about}>
      <div className="field">
        <KnowledgeSelect
          value={draft.knowledgeIds}
          onChange={knowledgeIds => edit({ knowledgeIds })}
          label={words.bases}
          placeholder={words.choose}
          isDisabled={isDisabled}
        />
        <p className="soft small">
          <a href={pathTo('knowledge')}>{words.make}</a>
        </p>
      </div>
    </FieldGroup>
  )
}
