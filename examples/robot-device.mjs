// The device of the service robot: node examples/robot-device.mjs AGENT_ID MESSAGE
// It says the message of a customer, does the actions that it is sent, and reports back until there are none left.
// Needs BANYAN_URL and BANYAN_TOKEN.
const { BANYAN_URL: server = 'http://127.0.0.1:8080', BANYAN_TOKEN: token = '' } = process.env
const [agentId = '', message = 'Please bring me a cup of tea'] = process.argv.slice(2)

async function call(path, body) {
  const response = await fetch(`${server}/api/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = await response.json()
  if (answer.code !== 0) throw new Error(answer.message)
  return answer
}

/** What a real device does with its motors. */
const perform = action => ({ ...action, done: true })

const { conversation_id } = await call('conversation/create', { agent_id: agentId })
const say = (data_type, content) =>
  call('conversation/chat', { agent_id: agentId, conversation_id, data_type, content })

const open = [{ data_type: 'text', content: message }]
for (let turns = 0; open.length > 0 && turns < 10; turns += 1) {
  const { data_type, content } = open.shift()
  console.log(`> ${content}`)
  for (const reply of (await say(data_type, content)).feedback) {
    console.log(`< ${reply.content}`)
    if (reply.data_type === 'action')
      open.push({ data_type: 'action', content: JSON.stringify(perform(JSON.parse(reply.content))) })
  }
}
