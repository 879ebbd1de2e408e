import { array, boolean, choice, id, integer, optional, string } from './fields.ts'
import { defineOperations } from './operation.ts'
import { Type } from './schema.ts'

export const presenceOperations = defineOperations('presence', {
  report: {
    access: 'read',
    summary: 'Report that a workflow or an agent is open, and list who else has it open',
    details:
      'The console sends this every 20 seconds while its window is visible. A window that does not report for 60 seconds, or reports `leaving`, is removed. Nothing is stored; replicas share this information.',
    body: Type.Object({
      kind: choice(['workflow', 'agent'], 'What is open.', { example: 'workflow' }),
      id: id('Its id.', 'wf_hello'),
      window: id('A random id of the window.', 'window_Zk3xV0m2q1c5b7n9d1f3gA'),
      ...optional({ leaving: boolean('Whether the window is closed or hidden.') }),
    }),
    data: Type.Object({
      others: array(
        Type.Object({
          name: string('Name of the token.', 'Ada'),
          same_token: boolean('Whether it is the token of this request, in another window.', false),
          windows: integer('Number of windows.', 1),
        }),
        'Who else has it open, by token.',
      ),
    }),
  },
})
