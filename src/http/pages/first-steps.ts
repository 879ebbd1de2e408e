import { fileOperations } from '../../contract/file-operations.ts'
import { basePath } from '../../contract/operation.ts'
import { workflowOperations } from '../../contract/workflow-operations.ts'
import { prettyJson } from './pretty-json.ts'

export interface Step {
  title: string
  chinese: string
  words: string
  command: string
}

const token = '-H "Authorization: Bearer $TOKEN"'

const workflow = {
  id: 'wf_first',
  name: 'First steps',
  workflow: {
    nodes: [
      { id: 'input', type: 'base', data: { type: 'input' } },
      { id: 'end', type: 'base', data: { type: 'end' } },
    ],
    edges: [{ source: { cell: 'input', port: 'out.input' }, target: { cell: 'end', port: 'in.end' } }],
  },
}

/** What a newcomer does first. A test runs these very commands. */
export const firstSteps: readonly Step[] = [
  {
    title: 'Take your token',
    chinese: '取得令牌',
    words:
      'The first start printed it and wrote it to `bootstrap-token` in the data folder, `./data` unless you chose another. If you set `BOOTSTRAP_TOKEN`, it is that one. The first line is the address of this page.',
    command: 'BANYAN=http://127.0.0.1:8080\nTOKEN=$(cat data/bootstrap-token)',
  },
  {
    title: 'Store a workflow',
    chinese: '保存工作流',
    words: 'A graph of nodes joined by edges. It is checked, kept as you wrote it, and given version 1.',
    command: `curl "$BANYAN${workflowOperations.update.path}" \\\n  ${token} \\\n  -H 'Content-Type: application/json' \\\n  -d '${prettyJson(workflow, 72)}'`,
  },
  {
    title: 'Read it back',
    chinese: '读取工作流',
    words:
      'The ETag of the answer is the version. Send the graph again and nothing changes; change it, and the old one stays in the history.',
    command: `curl -i "$BANYAN${workflowOperations.get.path}?id=${workflow.id}" \\\n  ${token}`,
  },
  {
    title: 'Upload a file',
    chinese: '上传文件',
    words: `The answer names its \`file_id\`, its type found by the content, and its checksum. The bytes are at \`${basePath}/files/{file_id}\`.`,
    command: `echo 'Hello banyan.' > hello.txt\ncurl "$BANYAN${fileOperations.upload.path}" \\\n  ${token} \\\n  -F file=@hello.txt`,
  },
]
