import { Checkbox, Input, InputNumber, Segmented, Select, Switch } from 'antd'

/**
 * Ant Design forgets the styles of a kind of input with the last input of that kind. As all inputs of the panel are
 * replaced with each node, their styles would be generated again, and the whole page laid out again, for each click.
 */
export const KeptStyles = () => (
  <div hidden>
    <Input />
    <Input.TextArea />
    <InputNumber />
    <Select />
    <Switch />
    <Checkbox />
    <Segmented options={['']} />
  </div>
)
