/** The differences of an imported app and what to do, by the code of the note; names of values are in braces. */
export const importNotes = {
  note_left_out: 'Notes on the canvas are left out.',
  unconnected: 'It is not connected to the start and never runs, so it is left out.',
  inside_left_out: 'It is inside a node that is left out or not imported.',
  reference_removed: '{reference} refers to nothing in this app and was removed.',
  app_id: 'sys.app_id is the id of the agent here.',
  turns_counted: 'The turns of the conversation are counted by the node "Count turns".',
  create_trigger: 'Create a trigger of the workflow in Triggers.',

  // The app itself.
  set_secret:
    'The environment variable "{variable}" is a secret: set the secret "{secret}" in Secrets, or with POST /api/v1/secret/set.',
  default_model: 'The default model is used in place of {models}: choose another one in the nodes.',
  speech_input: 'Speech input is a setting of the server here.',
  speech_output: 'Set "voice" of output nodes to send answers as speech.',
  follow_up_questions: 'Suggested questions after an answer are left out.',
  sensitive_words: 'The filter of sensitive words is left out.',
  annotated_replies: 'Annotated replies are left out.',
  similar_answers: 'The button for similar answers is left out.',
  opening_variables: 'Variables in the opening statement are not replaced: it is shown as it is written.',
  file_limits: 'The types and the number of files that users may send are not limited by the app here.',

  // The form.
  query_is_message: 'The variable "query" is the message of a run here, and not part of its form.',
  variable_renamed:
    'The variable "{variable}" is called "{name}" here, because the name is not possible or taken.',
  any_file: 'Any file is accepted for "{variable}", not only: {types}.',
  default_left_out: 'The default of "{variable}" is left out, because it is not a possible value.',
  variable_is_text: 'The variable "{variable}" of the type "{type}" is a text here.',

  // Models and agents.
  model_settings_left_out: 'These settings of the model are left out: {settings}.',
  model_has_settings: 'The temperature and the length of answers are settings of the model here.',
  prompt_examples: 'Earlier messages of the prompt are examples in the system prompt here.',
  no_vision: 'The model sees the text, and no files.',
  information_dialogue:
    'The information is collected in a dialogue of this node, until every required field is known.',
  agent_time: 'The model is told the time of the start of the run, in place of tools for the time.',
  agent_search: 'The search service of this server (WEB_SEARCH_URL) is used for "{tool}".',
  agent_app: 'Import the app "{app}" as well, and choose it for the tool "{tool}".',
  agent_mcp_url: 'Set the URL of the MCP server "{server}" for the tool "{tool}".',
  mcp_url: 'Set the URL of the MCP server.',
  mcp_tool_not_needed: 'The tool "{tool}" is not needed: the tools of the MCP server are given to the model.',

  // Tools.
  search: 'The search service of this server (WEB_SEARCH_URL) is used.',
  start_time: 'The time is that of the start of the run, in the form 2026-11-16T08:30:00.000+00:00.',
  page_reader:
    'The page is read by r.jina.ai, which has a low limit without an API key: add the header Authorization if you have one.',
  page_html: 'Gives the page as the server sends it, in HTML.',
  document_text: 'The text of the document is read by this server, without its layout and images.',
  model_translates: 'The model translates, in place of a service.',
  tool_app: 'Import the app "{app}" as well, and choose it as the workflow of this node.',
  tool_mcp_url: 'Set the URL of the MCP server "{server}".',

  // Data and containers.
  packages_left_out: 'Packages cannot be installed: {packages}.',
  choose_knowledge:
    'Choose the knowledge base for the data set {data_sets}, here or in "knowledge" of the import.',
  all_knowledge: 'All knowledge bases are searched, instead of one that a model chooses.',
  reranking: 'Reranking is a setting of the knowledge base here.',
  metadata_filter: 'The filter by metadata is left out.',
  certificates: 'Certificates are always verified.',
  body_left_out: 'The body is left out, because a {method} request has none.',
  any_status:
    'Any status is a result here, and only 429 and 5xx fail, after retries: check "status" in a condition.',
  basic_authorization: 'Basic authorization is sent as it is: store "name:password" encoded in Base64.',
  inner_messages: 'Messages inside are not sent to the user while it runs: send the result afterwards.',
  loop_ends_by_any: 'The loop ends by any of its conditions, because a node inside may end it, too.',

  // Nodes and tools that are not mapped.
  no_kind: 'There is no kind of node for "{type}" here: replace it by other nodes.',
  no_tool:
    'The tool "{tool}" of "{provider}" does not exist here. Replace it with an HTTP request, an MCP tool or a workflow.',
  no_strategy: 'The agent strategy "{strategy}" does not exist here: use an agent node.',
  no_language: 'Code in "{language}" cannot run here: rewrite it in Python or JavaScript.',
  no_comparison: 'The comparison "{comparison}" does not exist here: add a condition node in its place.',
  no_list_comparison:
    'The comparison "{comparison}" of a list of files does not exist here: filter it with a list node.',
  no_element_number: 'The number of the element to take must be written out: set "start" of a list node.',
  no_operation: 'The operation "{operation}" does not exist here: compute the value with a code node.',
  no_conversation_variable:
    '"{variable}" is no variable of the conversation: choose one that this app declares.',
} as const

export type ImportNoteCode = keyof typeof importNotes

export interface ImportNote {
  readonly code: ImportNoteCode
  readonly values: Readonly<Record<string, string>>
}

/** The English sentence of a note. */
export const sentenceOf = ({ code, values }: ImportNote): string =>
  importNotes[code].replace(/\{(\w+)\}/g, (name, key: string) => values[key] ?? name)
