/** The API of a server, by its documentation and public reports: its paths, and how it refuses a key and other paths. */
export interface ServerApi {
  readonly server: string;
  /** As the documentation gives it, and `docs/servers.md`. */
  readonly baseUrl: string;
  readonly source: string;
  /** The path of the list, if it is not beside that of prompts; null for an API without a list. */
  readonly models?: string | null;
  /** The body of the list, if it is not the usual one with {@link model}. */
  readonly list?: string;
  readonly model: string;
  /** The list needs no key. */
  readonly isListPublic?: true;
  /** Gets the key without `Bearer`. */
  readonly keyHeader?: 'api-key';
  /** The answer to a wrong key; undefined for a server that ignores keys. */
  readonly refusal?: readonly [status: number, body: string];
  /** The answer to any other path; its message is what natter prints of it. */
  readonly missing: {
    readonly status?: number;
    readonly type?: string;
    readonly body: string;
    readonly message?: string;
  };
  /** Paths that the server does not know, and that a login requests. */
  readonly inVain?: readonly string[];
}

const azure = {
  source:
    'learn.microsoft.com/en-us/rest/api/microsoft-foundry/azureopenai/models and https://github.com/OkGoDoIt/OpenAI-API-dotnet/issues/140',
  model: 'my-deployment',
  refusal: [
    401,
    '{"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint."}}',
  ],
  missing: {
    body: '{"error":{"code":"404","message":"Resource not found"}}',
    message: 'Resource not found',
  },
} as const;

export const serverApis: readonly ServerApi[] = [
  {
    server: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    source:
      'platform.openai.com/docs/api-reference and https://github.com/harry0703/MoneyPrinterTurbo/issues/57',
    model: 'gpt-4.1',
    refusal: [
      401,
      '{"error":{"message":"Incorrect API key provided: nk-wrong.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}',
    ],
    missing: {
      body: '{"error":{"message":"Invalid URL (POST /elsewhere/chat/completions)","type":"invalid_request_error","param":null,"code":null}}',
      message: 'Invalid URL (POST /elsewhere/chat/completions)',
    },
  },
  {
    server: 'Azure OpenAI',
    baseUrl: 'https://RESOURCE.openai.azure.com/openai/v1',
    ...azure,
  },
  {
    server: 'Azure OpenAI',
    baseUrl: 'https://RESOURCE.openai.azure.com/openai/deployments/NAME?api-version=2024-10-21',
    models: null,
    keyHeader: 'api-key',
    inVain: ['GET /openai/deployments/NAME/models?api-version=2024-10-21'],
    ...azure,
  },
  {
    server: 'Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    source:
      'ai.google.dev/gemini-api/docs/openai, https://github.com/continuedev/continue/issues/10290 and https://github.com/TuGraph-family/chat2graph/issues/203',
    model: 'models/gemini-2.5-flash',
    refusal: [
      400,
      '[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}]',
    ],
    missing: { type: 'text/html', body: '', message: '(404)' },
  },
  {
    server: 'GitHub Models',
    baseUrl: 'https://models.github.ai/inference',
    source:
      'docs.github.com/en/rest/models/catalog, https://github.com/open-webui/open-webui/issues/21257, https://github.com/danny-avila/LibreChat/issues/8679 and https://github.com/Azure/github-models/issues/4',
    models: '/catalog/models',
    list: '[{"id":"openai/gpt-4.1","name":"OpenAI GPT-4.1","publisher":"OpenAI","limits":{"max_input_tokens":1048576,"max_output_tokens":32768}}]',
    model: 'openai/gpt-4.1',
    refusal: [401, '{"error":{"code":"unauthorized","message":"Bad credentials","details":null}}'],
    missing: { type: 'text/plain', body: '404 page not found' },
    inVain: ['GET /inference/models'],
  },
  {
    server: 'Mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    source:
      'docs.mistral.ai/api, https://github.com/nextcloud/integration_openai/issues/332 and https://github.com/nextcloud/assistant/issues/593',
    model: 'mistral-small-latest',
    refusal: [401, '{"detail":"Unauthorized"}'],
    missing: {
      body: '{"message":"no Route matched with those values","request_id":"4e66bb7f"}',
      message: 'no Route matched with those values',
    },
  },
  {
    server: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com',
    source: 'api-docs.deepseek.com and https://github.com/Vali-98/ChatterUI/issues/437',
    model: 'deepseek-v4-flash',
    refusal: [
      401,
      '{"error":{"message":"Authentication Fails (no such user)","type":"authentication_error","param":null,"code":"invalid_request_error"}}',
    ],
    missing: {
      body: '{"event_id":"30-clou-200","error_msg":"Not Found. Please check the configuration."}',
      message: 'Not Found. Please check the configuration.',
    },
    inVain: ['GET /v1/models', 'POST /v1/chat/completions'],
  },
  {
    server: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    source:
      'openrouter.ai/docs, https://github.com/tinyhumansai/openhuman/pull/2372, https://github.com/Fosowl/agenticSeek/issues/407 and https://github.com/Pathos14489/Pantella/issues/3',
    model: 'openai/gpt-4o',
    isListPublic: true,
    refusal: [401, '{"error":{"message":"User not found.","code":401}}'],
    missing: {
      type: 'text/html',
      body: '<!DOCTYPE html><html lang="en"><head><meta charSet="utf-8"/><title>Not Found</title></head></html>',
      message: 'Not Found',
    },
  },
  {
    server: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    source:
      'console.groq.com/docs/openai, https://github.com/continuedev/continue/issues/11010 and https://github.com/PromtEngineer/Verbi/issues/12',
    model: 'llama-3.3-70b-versatile',
    refusal: [
      401,
      '{"error":{"message":"Invalid API Key","type":"invalid_request_error","code":"invalid_api_key"}}',
    ],
    missing: {
      body: '{"error":{"message":"Unknown request URL: POST /elsewhere/chat/completions.","type":"invalid_request_error","code":"unknown_url"}}',
      message: 'Unknown request URL: POST /elsewhere/chat/completions.',
    },
  },
  {
    server: 'llama.cpp',
    baseUrl: 'http://localhost:8080/v1',
    source: 'https://github.com/ggml-org/llama.cpp, tools/server: README.md and server-http.cpp',
    model: 'models/gemma.gguf',
    isListPublic: true,
    refusal: [
      401,
      '{"error":{"code":401,"message":"Invalid API Key","type":"authentication_error"}}',
    ],
    missing: {
      body: '{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}',
      message: 'File Not Found',
    },
  },
  {
    server: 'Ollama',
    baseUrl: 'http://localhost:11434/v1',
    source: 'docs.ollama.com/openai and https://github.com/sigoden/aichat/issues/1100',
    model: 'qwen3:32b',
    missing: { type: 'text/plain', body: '404 page not found' },
  },
  {
    server: 'vLLM',
    baseUrl: 'http://localhost:8000/v1',
    source:
      'docs.vllm.ai/en/stable/usage/security and https://github.com/vllm-project/vllm/issues/5082',
    model: 'Qwen/Qwen3-4B',
    refusal: [401, '{"error":"Unauthorized"}'],
    missing: { body: '{"detail":"Not Found"}', message: 'Not Found' },
  },
  {
    server: 'LM Studio',
    baseUrl: 'http://localhost:1234/v1',
    source:
      'lmstudio.ai/docs/developer/openai-compat and https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/618',
    model: 'openai/gpt-oss-20b',
    missing: {
      status: 200,
      body: '{"error":"Unexpected endpoint or method. (POST /elsewhere/chat/completions)"}',
      message: 'Unexpected endpoint or method. (POST /elsewhere/chat/completions)',
    },
  },
];
