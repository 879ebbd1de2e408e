/** The meaning of each server setting, in Chinese; the English text comes with the setting from the server. */
export const chineseSettings: Readonly<Record<string, string>> = {
  HOST: '监听地址。设为 0.0.0.0 可从其他机器访问。',
  PORT: '监听端口；0 表示自动选择空闲端口。',
  DATA_DIR: 'SQLite 数据库、文件和首个令牌所在的目录。',
  DATABASE_URL: '设为 postgres://… 时使用 PostgreSQL 15 或更高版本代替 SQLite。',
  DATABASE_POOL_SIZE: '一个服务器最多打开的 PostgreSQL 连接数。所有副本的总和必须低于 max_connections。',
  DATABASE_WAIT_SECONDS: '查询等待空闲 PostgreSQL 连接的秒数。超时后请求会被拒绝，运行会重试。',
  DATABASE_STATEMENT_SECONDS: 'PostgreSQL 执行一条语句的时间上限（秒）。',
  BLOB_URL:
    '设为 s3://存储桶/前缀 时，文件存入 S3 存储而不是 DATA_DIR。凭据来自常用的 AWS 变量、配置文件或角色，如 AWS_ACCESS_KEY_ID 和 AWS_SECRET_ACCESS_KEY。',
  AWS_REGION: 'S3 存储所在的区域；设置了 AWS_ENDPOINT_URL 时默认为 us-east-1。',
  AWS_ENDPOINT_URL: 'AWS 以外的 S3 存储的地址，例如 https://minio.example.com。',
  AWS_ENDPOINT_URL_S3: '仅用于 S3，优先于 AWS_ENDPOINT_URL。',
  S3_PATH_STYLE: '存储桶名放在路径中（on）还是主机名中（off）；auto：设置了 AWS_ENDPOINT_URL 时放在路径中。',
  RUN_MEMORY_MB:
    '运行中工作流的输出可占用的内存（MB）；0 表示进程堆内存的一半。一个工作空间最多使用其中的一半。',
  BOOTSTRAP_TOKEN: '系统管理员的令牌，至少 16 个字符。未设置时首次启动自动生成。',
  TRUSTED_PROXIES:
    '服务器前面的代理的地址，用逗号分隔：单个地址或网段，如 `10.0.0.0/8`。只有来自它们的请求才按 `X-Forwarded-For` 识别客户端，用于按地址限流和审计日志。',
  LOG_LEVEL: '日志级别：fatal、error、warn、info、debug、trace 或 silent；info 时每个请求一行。',
  SECRET_KEY:
    '用于加密密钥和工作空间模型的 API 密钥，至少 16 个字符。未设置时自动生成并保存在 DATA_DIR；使用 PostgreSQL 时请自行设置，且所有副本一致。',
  MODEL_BASE_URL: '兼容 OpenAI 的聊天接口地址，例如 https://api.openai.com/v1 或 http://127.0.0.1:11434/v1。',
  MODEL_API_KEY: '聊天接口的密钥（如需要）。',
  SMALL_MODEL:
    '生成对话标题和推荐问题的模型名称，宜选用速度快、价格低的模型。未设置时，标题取自第一条消息的开头。',
  MODEL_NAME: '智能体或节点未指定模型时使用的模型。',
  OCR: '扫描件和图片的文字识别（OCR）方式。model：OCR_MODEL，未设置时用工作空间的默认模型（须支持图像）；local：软件包 @gutenye/ocr-node；auto：先 OCR_MODEL，再已安装的软件包，最后默认模型；off：不识别。',
  OCR_BASE_URL: '兼容 OpenAI 的视觉模型接口地址；未设置时用 MODEL_BASE_URL。',
  OCR_API_KEY: '视觉模型接口的密钥（如需要）；OCR_BASE_URL 也未设置时用 MODEL_API_KEY。',
  OCR_MODEL: '识别扫描件和图片中文字的视觉模型。',
  OCR_RETENTION_DAYS: '文字识别结果和转写文本的缓存在最后一次使用后保留的天数；文档不受影响。',
  SOFFICE_PATH:
    'LibreOffice 的命令，用于转换 DOC、XLS 和 PPT 文件；未设置时在 /usr/local/bin、/usr/bin 和 /bin 中查找 soffice。没有安装 LibreOffice 时，这些文件会处理失败。',
  FFMPEG_PATH:
    'ffmpeg 的命令，用于把超过 25 MiB 且不是 MP3 或 WAV 的录音分段；未设置时在 /usr/local/bin、/usr/bin 和 /bin 中查找 ffmpeg。没有安装 ffmpeg 时，这些文件会处理失败。',
  TRANSCRIBE_BASE_URL: '兼容 OpenAI 的语音识别接口地址，用于把语音消息转成文字。',
  TRANSCRIBE_API_KEY: '语音识别接口的密钥（如需要）。',
  TRANSCRIBE_MODEL: '语音识别模型，例如 whisper-1。',
  SPEECH_BASE_URL: '兼容 OpenAI 的语音合成接口地址，用于以语音消息回答。',
  SPEECH_API_KEY: '语音合成接口的密钥（如需要）。',
  SPEECH_MODEL: '语音合成模型，例如 tts-1。',
  SPEECH_VOICE: '语音合成使用的音色。',
  WEB_SEARCH_URL: '用于联网搜索的 SearXNG 服务器地址，需启用 JSON 格式。',
  WEB_SEARCH_API_KEY: '联网搜索服务的密钥（如需要）。',
  RUN_RETENTION_DAYS: '运行结束后，运行及其步骤保留的天数。',
  EVENT_RETENTION_DAYS: '运行结束后，其事件保留的天数，期间可重新读取事件流；最长与运行本身相同。',
  VERSION_RETENTION_DAYS:
    '工作流旧版本保留的天数。每个工作流最新的 100 个版本，以及发布过、有说明、恢复过或仍有运行记录的版本，会保留更久。',
  EMBEDDING_RETENTION_DAYS: '向量缓存在最后一次使用后保留的天数；知识库中的向量不受影响。',
  AUDIT_RETENTION_DAYS: '审计日志保留的天数。',
  VISITOR_STORAGE_BYTES: '公开智能体的访客在每个工作空间中可上传的文件字节数；0 表示访客不能上传文件。',
  PUBLIC_CALLS_PER_MINUTE: '每个 IP 地址每分钟可不带令牌调用公开智能体的次数；0 表示不限制。',
  WRONG_TOKENS_PER_MINUTE:
    '每个 IP 地址每分钟可发送的错误令牌数；超过后，来自该地址的请求只接受近期验证过的令牌。0 表示不限制。',
  TOKEN_CALLS_PER_MINUTE: '单个令牌每分钟的请求数上限，所有副本合计；0 表示不限制。',
  WORKSPACE_CALLS_PER_MINUTE: '工作空间所有令牌每分钟的请求数上限，所有副本合计；0 表示不限制。',
  WORKSPACE_CONCURRENT_RUNS:
    '工作空间同时进行的运行数上限，所有副本合计；0 表示仅受其在每个服务器上的份额限制。',
  WORKSPACE_STORAGE_BYTES: '工作空间可存储的文件与工作流版本的字节数；0 表示不限制。',
  WORKSPACE_DOCUMENTS: '工作空间的知识库中可有的文档数；0 表示不限制。',
  WORKSPACE_TOKENS_PER_DAY:
    '工作空间的运行每天（UTC）可使用的模型 token 数；已开始的运行可能会超出。0 表示不限制。',
  DEMO: '首次启动时是否创建示例智能体、工作流和知识库：on 使用系统语言，en 英文，zh 中文，off 不创建。',
  EMBEDDING_BASE_URL: '兼容 OpenAI 的向量接口地址，例如 https://api.openai.com/v1。',
  EMBEDDING_API_KEY: '向量接口的密钥（如需要）。',
  EMBEDDING_MODEL: '新建知识库使用的向量模型，例如 text-embedding-3-small。',
  RERANK_BASE_URL: '兼容 Cohere、Jina 或 vLLM 的重排序接口地址（/rerank）。',
  RERANK_API_KEY: '重排序接口的密钥（如需要）。',
  RERANK_MODEL: '用于对检索结果重新排序的模型。',
  MCP_ORIGINS: '允许调用 /mcp 的网页来源，用逗号分隔，例如 https://app.example.com。程序和本机网页始终允许。',
  EGRESS_ALLOW: '允许访问的内网主机，用逗号分隔：host、host:port、*.suffix 或网段（如 10.0.0.0/8）。',
  INGEST_WORKERS:
    '一个工作空间最多使用的文档处理线程数，另有一个线程供其他工作空间使用；0 表示处理器数减一，且至少为二。',
  INGEST_MEMORY_MB: '每个文档处理线程的内存上限（MB）；超过上限的文档会处理失败。',
  SEARCH_CACHE_BYTES: '关键词索引缓存可占用的内存（字节）。十万个段落在每个搜索线程中约占 70 MB。',
  VECTOR_MEMORY_BYTES: '使用 SQLite 时，向量索引可占用的内存（字节）。',
  OTEL_EXPORTER_OTLP_ENDPOINT:
    'OpenTelemetry Collector 的地址，如 `http://127.0.0.1:4318`。请求、运行、节点和模型调用的链路追踪以 JSON 格式通过 OTLP/HTTP 发送到这里；未设置时不记录。',
  OTEL_EXPORTER_OTLP_HEADERS: '发送给 Collector 的请求头：`名称=值`，用逗号分隔，采用百分号编码。',
  OTEL_SERVICE_NAME: '链路追踪中本服务的名称。',
  OTEL_TRACES_SAMPLER_ARG: '记录的追踪比例，0 到 1；带有 `traceparent` 的请求以调用方的决定为准。',
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT:
    '链路追踪中是否包含模型的提示词和回答。可选 true、false。',
  MAX_FILE_BYTES: '可上传文件的大小上限（字节）。',
}
