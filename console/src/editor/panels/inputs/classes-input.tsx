import { defineWords } from '../../../ui/words.ts'
import { type JsonObject, pointerBelow } from '../fits-shape.ts'
import { CasesInput } from './cases-input.tsx'
import { NestedInput } from './nested-input.tsx'
import { Problems } from './problems.tsx'

const useWords = defineWords(
  {
    add: 'Add a class',
    description: (id: string) => `Description of ${id}`,
    otherwise: 'everything else',
  },
  { add: '添加类别', description: (id: string) => `${id} 的说明`, otherwise: '其他情况' },
)

interface ClassesInputProps {
  value: readonly JsonObject[] | undefined
  onChange(value: unknown): void
  pointer: string
}

/** The classes of a classifier; the last one is the fallback. */
export function ClassesInput({ value = [], onChange, pointer }: ClassesInputProps) {
  const words = useWords()
  return (
    <CasesInput
      cases={value}
      {...{ onChange, pointer }}
      prefix="class"
      fresh={{ description: '' }}
      placeOfNew={cases => Math.max(0, cases.length - 1)}
      addLabel={words.add}
      known={['id', 'description']}
      badge={(_, index) => (value.length > 1 && index === value.length - 1 ? words.otherwise : undefined)}
    >
      {({ each, pointer: place, onChange: change }) => {
        const below = pointerBelow(place, 'description')
        return (
          <div data-place={below}>
            <NestedInput
              shape={{ is: 'template', input: 'paragraph' }}
              value={each['description']}
              onChange={description => change({ ...each, description })}
              pointer={below}
              label={words.description(String(each['id'] ?? ''))}
            />
            <Problems pointer={below} reach="below" />
          </div>
        )
      }}
    </CasesInput>
  )
}
