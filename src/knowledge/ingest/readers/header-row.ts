const figure = /^[-+(]?[\p{Sc}]?\s?[-+]?\d[\d,.\s']*(?:[eE][-+]?\d+)?\s?[%\p{Sc})]?$/u
const date = /^\d{1,4}[-/.年]\d{1,2}(?:[-/.月]\d{1,4}日?)?(?:[T\s]\d{1,2}:\d{2}.*)?$/
const truth = /^(?:true|false|yes|no|是|否)$/i
const address = /^(?:https?:\/\/\S+|[^\s@]+@[^\s@]+\.\w+)$/
/** Common column names. */
const columnName = /^(?:[a-z]+(?:[_-][a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+|#|no\.?)$/
const knownName =
  /^(?:id|name|title|type|date|time|year|month|question|answer|content|text|category|tags?|description|price|amount|count|value|key|email|phone|address|city|country|status|url|score|label|编号|序号|姓名|名称|名字|标题|类型|类别|分类|日期|时间|问题|答案|回答|内容|描述|说明|备注|价格|金额|数量|单价|状态|地址|城市|电话|邮箱|部门|职位|年龄|性别|标签|来源|作者|关键词)$/i

const kindOf = (cell: string): 'empty' | 'text' | 'value' => {
  if (cell === '') return 'empty'
  const short = cell.slice(0, 60)
  return figure.test(short) || date.test(short) || truth.test(short) || address.test(short) ? 'value' : 'text'
}

const maxNameLength = 80

/** Whether the cells of a column differ in kind from its first cell. */
const differs = (name: string, below: string[]): boolean => {
  const filled = below.filter(cell => cell !== '')
  if (filled.length === 0 || filled.includes(name)) return false
  const values = filled.filter(cell => kindOf(cell) === 'value').length
  if (values * 10 >= filled.length * 8) return true
  const length = filled.reduce((sum, cell) => sum + cell.length, 0) / filled.length
  if (length > name.length * 3 && length > 20) return true
  // Values repeat within a column; its name does not.
  return filled.length >= 6 && new Set(filled).size * 2 <= filled.length
}

/**
 * Whether a first row names the columns: its texts are distinct, not empty, and are common column names or differ in kind
 * from the cells below.
 */
export const isHeaderRow = (first: string[], rows: string[][]): boolean => {
  // Some exports end each line with a delimiter, which adds an empty last column.
  const names = first.at(-1) === '' ? first.slice(0, -1) : first
  if (names.length === 0 || names.some(name => name.length > maxNameLength || kindOf(name) !== 'text'))
    return false
  if (new Set(names).size !== names.length) return false
  const named = names.filter(name => knownName.test(name) || columnName.test(name)).length
  if (named * 2 >= names.length) return true
  const cellsOf = (column: number): string[] => rows.map(row => row[column] ?? '')
  return names.some((name, column) => differs(name, cellsOf(column)))
}
